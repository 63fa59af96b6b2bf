import { type CreateSnapshot, type Language, Problem, type Snapshot, type Unsaved } from '@holdfast/specs/public';
import { type ContextLanguages, isDefaultContext } from '../contexts/context-languages.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import type { NewAuditEntry } from '../registry/audit/record-audit.ts';
import type { SessionSnapshotRow } from '../registry/schema/snapshots.ts';
import { listSnapshots } from '../registry/snapshots/list-snapshots.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { type CapturedFiles, captureWithFiles } from '../state/capture-with-files.ts';
import { isStateGone, type PulledArchive, pullArchive } from '../state/pull-archive.ts';
import { snapshotView } from '../state/snapshot-view.ts';
import { recordSnapshot, type SnapshotDependencies } from '../state/take-snapshot.ts';
import { whenIdle } from '../state/when-idle.ts';

export type CreateSnapshotDependencies = SnapshotDependencies &
  ExplainDependencies & {
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    /** Saves the files of a sandbox, and returns those that cannot be saved. */
    saveFiles(input: { route: Route; signal: AbortSignal }): Promise<Unsaved[]>;
    contextLanguages: ContextLanguages;
  };

type CreateInput = { caller: Caller; sessionId: string; request: CreateSnapshot };

/** Snapshots that a client asked for. Each stays until it or its session is deleted. */
const perSessionMax = 32;

/** The data-plane may be saving the context by itself. */
const patienceMs = 2000;

/**
 * Saves the state of a context, as it is between two steps, with the files that it was computed with.
 * @throws Problem 404, 409 while the context runs a step, 410, 422 if there is nothing to save or the language cannot, 429, 502, 503, 507
 */
export async function createSnapshot(
  deps: CreateSnapshotDependencies,
  { caller, sessionId, request }: CreateInput,
): Promise<Snapshot> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const contextId = request.contextId ?? route.language;
  const language = await languageOf(deps, { route, contextId });
  const earlier = (await listSnapshots(deps.db, { sessionId })).filter(({ origin }) => origin === 'request');
  if (earlier.length >= perSessionMax) {
    throw new Problem('quota-exceeded', {
      detail: `a session has at most ${perSessionMax} snapshots that were asked for`,
    });
  }
  const signal = AbortSignal.timeout(deps.snapshots.timeoutMs * 2);
  const { files } = request;
  const entry = entryOf(caller, sessionId, { operation: 'snapshot.create', contextId, files });
  const taken = await takeOnRequest(deps, { route, contextId, language, files, signal, entry }).catch(async (error) => {
    throw await explainFailedCall(deps, { key, error });
  });
  if (!taken) throw new Problem('session-not-active', { detail: 'the session lost its sandbox just now' });
  return snapshotView(taken);
}

type Taking = {
  route: Route;
  contextId: string;
  language: Language;
  files: boolean;
  signal: AbortSignal;
  entry: NewAuditEntry;
};

async function takeOnRequest(
  deps: CreateSnapshotDependencies,
  { files: hasFiles, signal, entry, ...context }: Taking,
): Promise<SessionSnapshotRow | null> {
  const { route, contextId } = context;
  const capture = async () => {
    const pull = () => pullArchive(deps, { ...context, signal });
    const archive = await whenIdle(pull, { ms: patienceMs }).catch((error) => {
      if (!isStateGone(error)) throw error;
      throw new Problem('snapshot-refused', { detail: `the kernel of the context ${contextId} has ended` });
    });
    if (!archive) throw new Problem('snapshot-refused', { detail: `the context ${contextId} has run nothing yet` });
    return archive;
  };
  const record = (archive: PulledArchive, files: CapturedFiles | null) =>
    recordSnapshot(deps, { ...context, archive, origin: 'request', files, entry });
  if (hasFiles) {
    const saveFiles = () => deps.saveFiles({ route, signal });
    return await captureWithFiles(deps, { sessionId: route.sessionId, capture, saveFiles, record });
  }
  const recorded = await record(await capture(), null);
  return recorded === 'files-changed' ? null : recorded;
}

async function languageOf(
  { contextLanguages }: Pick<CreateSnapshotDependencies, 'contextLanguages'>,
  { route, contextId }: { route: Route; contextId: string },
): Promise<Language> {
  if (isDefaultContext(contextId)) return contextId;
  return await contextLanguages.find({ sessionId: route.sessionId, contextId });
}
