import type { Cause } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noCharges } from '../../registry/budgets/find-charges.ts';
import type { FoundStep } from '../../registry/steps/find-step.ts';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import { recordEnd } from './record-end.ts';
import type { Recorded } from './waiting-records.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const record = {
  id: 'stp_0',
  sessionId: 'ses_0',
  budgetId: null,
  status: 'succeeded',
  contextEpoch: 1,
  executionCount: 3,
  durationMs: 5,
  startedAt: new Date(0),
  finishedAt: new Date(5),
  events: Buffer.from('frames'),
} as StepRecord;

/** A recorder that answers with `answers` and a registry that answers with `rows`, one after the other. */
function registry(answers: Recorded[], rows: (FoundStep | Error | null)[] = [], session: object | null = {}) {
  const written: StepRecord[] = [];
  const asked: unknown[] = [];
  const deps = {
    recorder: {
      end: async (end: StepRecord) => {
        written.push(end);
        return answers.shift() ?? null;
      },
    },
    findStep: async (key: unknown) => {
      asked.push(key);
      const row = rows.shift() ?? null;
      if (row instanceof Error) throw row;
      return row;
    },
    findSession: async () => session,
    findCharges: async () => noCharges,
  };
  return { deps, written, asked };
}

test('returns the number of the step, and does not read the row', async () => {
  const { deps, written, asked } = registry([7]);
  expect(await recordEnd(deps, record)).toEqual({ by: 'us', record, number: 7, charges: noCharges });
  expect(written).toEqual([record]);
  expect(asked).toEqual([]);
});

test('returns the row of another replica that recorded the end first, and writes nothing more', async () => {
  const row = { id: 'stp_0', status: 'lost', finishedAt: new Date(1) } as FoundStep;
  const { deps, written, asked } = registry([null], [row]);
  expect(await recordEnd(deps, record)).toEqual({ by: 'another', row });
  expect(written).toHaveLength(1);
  expect(asked).toEqual([{ sessionId: 'ses_0', stepId: 'stp_0' }]);
});

const lost = (code: Cause['code']) => ({
  status: 'lost',
  outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: false },
  cause: { code },
  mayHaveRow: true,
  contextEpoch: null,
  executionCount: null,
  durationMs: null,
  events: Buffer.alloc(0),
  startedAt: record.startedAt,
  finishedAt: record.finishedAt,
});

test('records a step as lost, without what its agent reported, if the registry refuses its end', async () => {
  const { deps, written, asked } = registry(['refused', 8]);
  const recorded = await recordEnd(deps, record);
  expect(recorded).toMatchObject({ by: 'us', number: 8, record: lost('result_refused') });
  expect(written).toMatchObject([record, lost('result_refused')]);
  expect(asked).toEqual([]);
});

test('announces nothing if the registry refuses every end', async () => {
  const { deps, written } = registry(['refused', 'refused']);
  await expect(recordEnd(deps, record)).rejects.toThrow('refuses every end of step stp_0');
  expect(written).toHaveLength(2);
});

test('returns an end without a number if the session is seen to be deleted', async () => {
  const { deps, written } = registry([null], [null], null);
  expect(await recordEnd(deps, record)).toMatchObject({ by: 'nobody', number: null, record: lost('session_ended') });
  expect(written).toHaveLength(1);
});

test('says that the result is forgotten if the row was purged and the session is still there', async () => {
  const { deps } = registry([null], [null]);
  expect(await recordEnd(deps, record)).toMatchObject({ by: 'nobody', record: lost('result_forgotten') });
});

test('writes the true end again for as long as the row is there without an end', async () => {
  const unfinished = { id: 'stp_0', status: 'running', finishedAt: null } as FoundStep;
  const { deps, written } = registry([null, null, 9], [unfinished, unfinished]);
  const recorded = recordEnd(deps, record);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await recorded).toMatchObject({ by: 'us', number: 9, record });
  expect(written.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

test('asks for the row until the database answers', async () => {
  const row = { id: 'stp_0', finishedAt: new Date(1) } as FoundStep;
  const { deps, asked } = registry([null], [new Error('away'), new Error('away'), row]);
  const recorded = recordEnd(deps, record);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await recorded).toEqual({ by: 'another', row });
  expect(asked).toHaveLength(3);
});
