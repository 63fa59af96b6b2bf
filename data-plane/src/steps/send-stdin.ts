import { Problem, type Stdin } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/steps/find-step.ts';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { stepNotFound } from './frame-log.ts';

type StdinInput = {
  caller: Caller;
  sessionId: string;
  stepId: string;
  input: Stdin;
  idempotencyKey?: string | undefined;
};

/**
 * Sends a step a line of input, or the end of its input. The agent holds it in memory until the code reads it; it is stored nowhere. The agent
 * knows a repeat by its key, too: it loses the keys together with the step.
 *
 * @throws Problem 404, 409 `stdin-closed` if the step takes no input or has ended, 410, 413 if too much input waits already, 502, 503
 */
export async function sendStdin(deps: AskDependencies & { db: Database }, given: StdinInput): Promise<void> {
  const { caller, sessionId, stepId, input, idempotencyKey } = given;
  await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  await assertRunning(deps.db, given);
  // Before its effect, as for an interrupt. The text may be a password.
  const length = input.text === null ? { isEnd: true } : { characters: input.text.length };
  const entry = entryOf(caller, sessionId, { operation: 'step.input', ...length });
  await recordAudit(deps.db, { ...entry, stepId });
  const call = {
    method: 'POST',
    path: `/v1/steps/${stepId}/stdin`,
    body: input,
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  } as const;
  try {
    await askAgent(deps, { caller, sessionId, call });
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'not-found') throw error;
    await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
    await assertRunning(deps.db, given);
    const detail = `step ${stepId} is still on its way to its sandbox`;
    throw new Problem('sandbox-unreachable', { detail, retryAfterSeconds: 1 });
  }
}

/** @throws Problem 404, 409 if the step has ended */
async function assertRunning(db: Database, { sessionId, stepId }: StdinInput): Promise<void> {
  const row = await findStep(db, { sessionId, stepId });
  if (!row) throw stepNotFound(stepId);
  if (row.finishedAt) throw new Problem('stdin-closed', { detail: `step ${stepId} has ended` });
}
