import { contextEpochHeader, executionCountHeader, silentCountHeader, type TakeSnapshot } from '@holdfast/specs/agent';
import type { Language, SnapshotManifest } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Content, Contents } from '../contents/contents.ts';
import { ContentTooLarge } from '../contents/meter.ts';
import { createArchiveEnd } from './archive-end.ts';

export type PullDependencies = {
  agents: Pick<AgentClient, 'pull'>;
  contents: Pick<Contents, 'store'>;
  snapshots: { bytesMax: number; timeoutMs: number };
};

/** The state of a context as it was after one of its executions. Nothing refers to the content yet. */
export type PulledArchive = { content: Content; manifest: SnapshotManifest } & Counts;

type Counts = { contextEpoch: number; executionCount: number; silentCount: number };
/** `isFork`: for another session, which begins with the state as it is now. */
type Pulling = { route: AgentTarget; contextId: string; language: Language; signal: AbortSignal; isFork?: boolean };

/**
 * Stores the state of an idle context outside its sandbox.
 * @returns null if there is nothing to save, because the context has run nothing
 * @throws AgentError, with the slug `context-busy` while a step runs or waits, or `snapshot-refused` if the state was lost with its kernel
 */
export async function pullArchive(
  { agents, contents, snapshots }: PullDependencies,
  { route, contextId, language, signal, isFork = false }: Pulling,
): Promise<PulledArchive | null> {
  const { bytesMax, timeoutMs } = snapshots;
  const counts: Counts[] = [];
  const body: TakeSnapshot = { bytesMax, timeoutMs };
  const pulled = agents.pull(route, {
    method: 'POST',
    path: `/v1/contexts/${contextId}/snapshot?for=${isFork ? 'fork' : 'recovery'}`,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + graceMs)]),
    onHeaders: (headers, status) => {
      if (status === 200) counts.push(countsIn(headers));
    },
  });
  const end = createArchiveEnd();
  const stored = contents.store(end.through(pulled), { bytesMax: bytesMax + manifestRoom, signal });
  const content = await stored.catch((error) => {
    throw error instanceof ContentTooLarge ? new AgentError('invalid', error.message, { cause: error }) : error;
  });
  const [state] = counts;
  if (!state) return null;
  const manifest = end.manifest();
  // It could never be loaded into the context.
  if (manifest.language !== language) throw new AgentError('invalid', 'a snapshot has the state of another language');
  return { content, manifest, ...state };
}

/** Whether a context could not be saved because its state was lost with its kernel. */
export const isStateGone = (error: unknown): boolean =>
  error instanceof AgentError && error.slug === 'snapshot-refused';

/** The agent ends an archive at its own limits; these are for an agent that does not. */
const graceMs = 10_000;
export const manifestRoom = 8 * 2 ** 20;

function countsIn(headers: Record<string, string | string[] | undefined>): Counts {
  const [contextEpoch, executionCount, silentCount] = [contextEpochHeader, executionCountHeader, silentCountHeader].map(
    (name) => Number(headers[name] ?? (name === silentCountHeader ? 0 : undefined)),
  );
  const isCount = (value: number | undefined, min: number): value is number =>
    Number.isInteger(value) && Number(value) >= min && Number(value) < 2 ** 31;
  if (!isCount(contextEpoch, 1) || !isCount(executionCount, 0) || !isCount(silentCount, 0)) {
    throw new AgentError('invalid', 'a snapshot does not say which state it is');
  }
  return { contextEpoch, executionCount, silentCount };
}
