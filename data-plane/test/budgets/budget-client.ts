import type { Budget, BudgetLimits, RunStep, Session, Step } from '@holdfast/specs/public';
import { expect } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

type Client = Pick<Holdfast, 'request'>;

export const readSession = async ({ request }: Client, id: string): Promise<Session> =>
  (await request('GET', `/v1/sessions/${id}`)).body;

export async function readBudget(client: Client, id: string): Promise<Budget> {
  const { budget } = await readSession(client, id);
  if (!budget) throw new Error('the session has no budget');
  return budget;
}

export const changeBudget = async ({ request }: Client, id: string, budget: BudgetLimits | null) =>
  await request('PATCH', `/v1/sessions/${id}`, { budget });

/** The answer to a step that may be refused. */
export const send = async ({ request }: Client, id: string, body: Partial<RunStep> = { code: '1' }) =>
  await request('POST', `/v1/sessions/${id}/steps`, body);

export const refused = { status: 429, body: { code: 'budget-exceeded' } };

/** Whether a step has been refused because of its budget. */
export const isRejected = ({ status, outcome }: Step): boolean =>
  status === 'rejected' && outcome?.tag === 'error' && outcome.kind === 'budget';

/** Nothing is reserved, and what is used is the sum of what the steps were charged. */
export async function expectSettled(db: Database, sessionIds: readonly string[]): Promise<void> {
  const [counted] = await db.sql`
    select b.iterations_reserved, b.time_reserved_ms, b.iterations_used - s.iterations as iterations_off,
      round((b.time_used_ms - s.ms)::numeric, 6)::float8 as ms_off, s.unfinished
    from budgets b, (
      select count(*) filter (where finished_at is null)::int as unfinished, coalesce(sum(charged_ms), 0) as ms,
        coalesce(sum(reserved_iterations) filter (where coalesce(cause ->> 'code', '') <> 'never_started'), 0)::int as iterations
      from steps where session_id = any(${[...sessionIds]}::text[]) and budget_id is not null
    ) s
    where b.id = (select budget_of from sessions where id = ${sessionIds[0] ?? ''})`;
  expect(counted).toEqual({
    iterations_reserved: 0,
    time_reserved_ms: 0,
    iterations_off: 0,
    ms_off: 0,
    unfinished: 0,
  });
}
