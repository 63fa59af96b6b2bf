import type { SignalProcess } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import { actorOf } from '../sessions/caller.ts';
import { type FindDependencies, findKnownProcess, type ProcessKey } from './find-known-process.ts';
import { endedProcess, isNotFound, notStartedYet } from './process-problems.ts';

/**
 * Sends a signal to a process and all that it started. It is audited first, so that none is sent without an entry.
 * @throws Problem 404, 409 `process-ended`, 410, 502, 503
 */
export async function signalProcess(
  deps: AskDependencies & FindDependencies,
  { request, ...key }: ProcessKey & { request: SignalProcess },
): Promise<void> {
  const { caller, sessionId, processId } = key;
  const row = await findKnownProcess(deps, key);
  if (row.finishedAt) throw endedProcess(row.id);
  const { signal } = request;
  const asker = { ...caller, ...actorOf(caller, request) };
  await recordAudit(deps.db, entryOf(asker, sessionId, { operation: 'process.signal', processId, signal }));
  const call = { method: 'POST', path: `/v1/processes/${processId}/signal`, body: { signal } } as const;
  try {
    await askAgent(deps, { caller, sessionId, call });
  } catch (error) {
    throw isNotFound(error) ? notStartedYet(row.id) : error;
  }
}
