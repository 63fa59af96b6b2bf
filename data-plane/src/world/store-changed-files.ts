import type { Change } from '@holdfast/specs/agent';
import type { Omission } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Content, Contents } from '../contents/contents.ts';
import { ContentTooLarge } from '../contents/meter.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { countStoredBytes } from '../registry/contents/count-stored-bytes.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { isDatabaseAway, retryThroughOutage } from './retry-through-outage.ts';

export type StoreFilesDependencies = {
  agents: Pick<AgentClient, 'readFile'>;
  contents: Pick<Contents, 'store'>;
  db: Database;
  log: Pick<Logger, 'error'>;
  limits: { keptFileBytesMax: number; keptStepBytesMax: number; keptSessionBytesMax: number };
};

/**
 * `content` is null if the file was deleted, or if it was not stored for the reason in `omission`. `isFailed`: it may be stored later, as
 * neither a limit nor the agent's answer was the reason.
 */
export type ChangedFile = { change: Change; content: Content | null; omission: Omission | null; isFailed: boolean };

type StoreFilesInput = {
  route: Route;
  changes: readonly Change[];
  /** The number of files whose contents are stored; the others have the omission `step-limit`. */
  filesMax: number;
  /** Whether to wait for a database that is away, for as long as that takes. */
  isPatient: boolean;
};

/** The number of files of one call that are read at the same time. */
const pullsMax = 4;

/** A slow sandbox gets a minute, and the time that its files take at 4 MiB a second. */
const graceMs = 60_000;
const bytesPerMs = 4096;

/**
 * Stores the contents of changed files, each in the version that the agent reported or not at all. Returns a file for each change, in
 * their order. A file that has more or fewer bytes than the agent announced is omitted as `changing`. A failure of a single file is
 * an omission.
 *
 * @throws the database's error if it is away and this is not patient, or if the bytes stored for the session cannot be counted
 */
export async function storeChangedFiles(
  deps: StoreFilesDependencies,
  { route, changes, filesMax, isPatient }: StoreFilesInput,
): Promise<ChangedFile[]> {
  const files: ChangedFile[] = changes.map((change) => ({
    change,
    content: null,
    omission: unreadReason(change),
    isFailed: false,
  }));
  const wanted = files.filter(({ change, omission }) => change.change !== 'deleted' && omission === null);
  if (wanted.length === 0) return files;
  const room = await roomFor(deps, { sessionId: route.sessionId, filesMax, isPatient });
  const bytes = wanted.reduce((sum, { change }) => sum + change.size, 0);
  const timeoutMs = graceMs + Math.ceil(Math.min(bytes, deps.limits.keptStepBytesMax) / bytesPerMs);
  const pulling: Pulling = { route, room, isPatient, timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const queue = wanted.values();
  const storeQueued = async () => {
    for (const file of queue) Object.assign(file, await storeFile(deps, pulling, file.change));
  };
  await Promise.all(Array.from({ length: Math.min(pullsMax, wanted.length) }, storeQueued));
  return files;
}

/** The omission of a file that the agent cannot be asked for. */
const unreadReason = ({ change, omission, version }: Change): Omission | null =>
  omission ?? (change !== 'deleted' && version === undefined ? 'unreadable' : null);

/** The amount that may still be stored: a number of files, and bytes for the step and the session. */
type Room = { files: number; step: number; session: number };
type Pulling = {
  route: Route;
  room: Room;
  isPatient: boolean;
  /** The time for all files together, which begins anew after an outage. */
  timeoutMs: number;
  signal: AbortSignal;
};

async function roomFor(
  { db, limits }: StoreFilesDependencies,
  { sessionId, filesMax, isPatient }: { sessionId: string; filesMax: number; isPatient: boolean },
): Promise<Room> {
  const stored = await retryThroughOutage(() => countStoredBytes(db, { sessionId }), { isPatient });
  return { files: filesMax, step: limits.keptStepBytesMax, session: limits.keptSessionBytesMax - stored };
}

type Stored = Pick<ChangedFile, 'content' | 'omission' | 'isFailed'>;

async function storeFile(deps: StoreFilesDependencies, pulling: Pulling, change: Change): Promise<Stored> {
  const { room } = pulling;
  if (change.size > deps.limits.keptFileBytesMax) return omitted('too-large');
  if (change.size > room.step || room.files === 0) return omitted('step-limit');
  if (change.size > room.session) return omitted('session-limit');
  takeRoom(room, change.size, 1);
  const stored = await pullFile(deps, pulling, change);
  if (!stored.content) takeRoom(room, -change.size, -1);
  return stored;
}

function takeRoom(room: Room, bytes: number, files: number): void {
  room.files -= files;
  room.step -= bytes;
  room.session -= bytes;
}

async function pullFile(deps: StoreFilesDependencies, pulling: Pulling, change: Change): Promise<Stored> {
  const { path, size, version = '' } = change;
  const { route, isPatient } = pulling;
  let { signal } = pulling;
  const store = async () => {
    signal = pulling.signal;
    try {
      return await deps.contents.store(deps.agents.readFile(route, { path, version, signal }), {
        bytesMax: size,
        signal,
      });
    } catch (error) {
      if (isPatient && isDatabaseAway(error)) pulling.signal = AbortSignal.timeout(pulling.timeoutMs);
      throw error;
    }
  };
  try {
    const content = await retryThroughOutage(store, { isPatient });
    return content.size === size ? { content, omission: null, isFailed: false } : omitted('changing');
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return omissionFor(deps, signal, error);
  }
}

function omissionFor({ log }: StoreFilesDependencies, signal: AbortSignal, error: unknown): Stored {
  if (signal.aborted) return omitted('unreadable', { isFailed: true });
  if (error instanceof ContentTooLarge) return omitted('changing');
  if (!(error instanceof AgentError)) {
    log.error({ err: error }, 'could not store a file');
    return omitted('unreadable', { isFailed: true });
  }
  const isFailed = error.kind !== 'refused';
  return error.kind === 'cut' || error.slug === 'precondition-failed'
    ? omitted('changing', { isFailed })
    : omitted('unreadable', { isFailed });
}

const omitted = (omission: Omission, { isFailed = false } = {}): Stored => ({ content: null, omission, isFailed });
