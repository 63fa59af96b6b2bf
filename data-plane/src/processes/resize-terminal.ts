import { Problem, type TerminalSize } from '@holdfast/specs/public';
import { noteTerminalSize } from '../registry/processes/note-terminal-size.ts';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import { type FindDependencies, findKnownProcess, type ProcessKey } from './find-known-process.ts';
import { endedProcess, isNotFound, notStartedYet } from './process-problems.ts';

/**
 * Gives the terminal of a process another size.
 * @throws Problem 404, 409 `process-ended` or `no-terminal`, 410, 502, 503
 */
export async function resizeTerminal(
  deps: AskDependencies & FindDependencies,
  { size, ...key }: ProcessKey & { size: TerminalSize },
): Promise<void> {
  const { caller, sessionId, processId } = key;
  const row = await findKnownProcess(deps, key);
  if (!row.terminal) throw new Problem('no-terminal', { detail: `process ${processId} has no terminal` });
  if (row.finishedAt) throw endedProcess(row.id);
  const call = { method: 'PUT', path: `/v1/processes/${processId}/terminal`, body: size } as const;
  try {
    await askAgent(deps, { caller, sessionId, call });
    deps.liveProcesses.get(processId)?.resize(size);
    await noteTerminalSize(deps.db, { sessionId, processId, size });
  } catch (error) {
    throw isNotFound(error) ? notStartedYet(row.id) : error;
  }
}
