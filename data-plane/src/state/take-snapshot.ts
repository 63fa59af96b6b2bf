import { contextEpochHeader, executionCountHeader, type TakeSnapshot } from '@holdfast/specs/agent';
import { type Language, newId } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Contents } from '../contents/contents.ts';
import type { Database } from '../registry/connect.ts';
import { releaseContent } from '../registry/contents/release-content.ts';
import type { SnapshotRow } from '../registry/schema/snapshots.ts';
import { insertSnapshot } from '../registry/snapshots/insert-snapshot.ts';
import { createArchiveEnd } from './archive-end.ts';

export type SnapshotDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'pull'>;
  contents: Pick<Contents, 'store'>;
  snapshots: { bytesMax: number; timeoutMs: number };
};

type Counts = { contextEpoch: number; executionCount: number };

type Taking = {
  route: AgentTarget;
  contextId: string;
  language: Language;
  origin: 'request' | 'auto';
  signal: AbortSignal;
};

/**
 * Saves the state of an idle context outside its sandbox.
 * @returns null if there is nothing to save, or the session is not live in this epoch any more
 * @throws AgentError, with the slug `context-busy` while a step runs or waits
 */
export async function takeSnapshot(deps: SnapshotDependencies, taking: Taking): Promise<SnapshotRow | null> {
  const { db, agents, contents, snapshots } = deps;
  const { route, contextId, language, origin, signal } = taking;
  const { bytesMax, timeoutMs } = snapshots;
  const counts: Counts[] = [];
  const body: TakeSnapshot = { bytesMax, timeoutMs };
  const pulled = agents.pull(route, {
    method: 'POST',
    path: `/v1/contexts/${contextId}/snapshot`,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + graceMs)]),
    onHeaders: (headers, status) => {
      if (status === 200) counts.push(countsIn(headers));
    },
  });
  const end = createArchiveEnd();
  const content = await contents.store(end.through(pulled), { bytesMax: bytesMax + manifestRoom, signal });
  const [state] = counts;
  if (!state) return null;
  const manifest = end.manifest();
  const row = {
    id: newId('snp'),
    sessionId: route.sessionId,
    contextId,
    language,
    origin,
    ...content,
    manifest,
    epoch: route.epoch,
    ...state,
  };
  const inserted = await insertSnapshot(db, row);
  if (!inserted) return null;
  for (const { sha256, createdAt } of inserted.replaced) {
    if (sha256 !== content.sha256) await releaseContent(db, { sha256, unlessTouchedSince: createdAt });
  }
  return { ...row, sha256: Buffer.from(content.sha256, 'hex'), createdAt: inserted.createdAt };
}

/** The agent ends an archive at its own limits; these are for an agent that does not. */
const graceMs = 10_000;
const manifestRoom = 8 * 2 ** 20;

function countsIn(headers: Record<string, string | string[] | undefined>): Counts {
  const [contextEpoch, executionCount] = [contextEpochHeader, executionCountHeader].map((name) =>
    Number(headers[name]),
  );
  const isCount = (value: number | undefined, min: number): value is number =>
    Number.isInteger(value) && Number(value) >= min && Number(value) < 2 ** 31;
  if (!isCount(contextEpoch, 1) || !isCount(executionCount, 0)) {
    throw new AgentError('invalid', 'a snapshot does not say which state it is');
  }
  return { contextEpoch, executionCount };
}
