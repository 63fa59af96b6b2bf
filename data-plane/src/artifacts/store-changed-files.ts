import type { Change } from '@holdfast/specs/agent';
import type { Omission } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { ContentTooLarge } from '../contents/content-too-large.ts';
import type { Content, Contents } from '../contents/contents.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { countStoredBytes } from '../registry/contents/count-stored-bytes.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { retryThroughOutage } from './retry-through-outage.ts';

export type StoreFilesDependencies = {
  agents: Pick<AgentClient, 'readFile'>;
  contents: Pick<Contents, 'store'>;
  db: Database;
  log: Pick<Logger, 'error'>;
  limits: { keptFileBytesMax: number; keptStepBytesMax: number; keptSessionBytesMax: number };
};

/** `content` is null where the file was deleted, or not kept for the reason that `omission` gives. */
export type StoredFile = { change: Change; content: Content | null; omission: Omission | null };

type KeepFilesInput = {
  route: Route;
  changes: readonly Change[];
  /** Contents beyond so many are left out, as those beyond the bytes that one step may have. */
  filesMax: number;
  /** When nobody wants them any more. There is a deadline beside it. */
  signal?: AbortSignal;
};

/** At a time, of one session. */
const pullsMax = 4;

/** A slow sandbox gets a minute and as long as its files take at 4 MiB a second. */
const graceMs = 60_000;
const bytesPerMs = 4096;

/**
 * Keeps the contents of changed files, each as the agent saw it when it said so or not at all; an entry for each change, in their order.
 * An agent that gives more bytes than it announced, or fewer, has its file left out as one that is `changing`. Throws what the registry
 * throws where it cannot say how much the session has; of a single file, what fails is an omission.
 */
export async function storeChangedFiles(
  deps: StoreFilesDependencies,
  { route, changes, filesMax, signal }: KeepFilesInput,
): Promise<StoredFile[]> {
  const kept: StoredFile[] = changes.map((change) => ({ change, content: null, omission: unread(change) }));
  const wanted = kept.filter(({ change, omission }) => change.change !== 'deleted' && omission === null);
  if (wanted.length === 0) return kept;
  const room = await roomFor(deps, { sessionId: route.sessionId, filesMax });
  const bytes = wanted.reduce((sum, { change }) => sum + change.size, 0);
  const until = AbortSignal.timeout(graceMs + Math.ceil(Math.min(bytes, deps.limits.keptStepBytesMax) / bytesPerMs));
  const pulling: Pulling = { route, room, signal: signal ? AbortSignal.any([signal, until]) : until };
  const queue = wanted.values();
  const pull = async () => {
    for (const file of queue) Object.assign(file, await keepOne(deps, pulling, file.change));
  };
  await Promise.all(Array.from({ length: Math.min(pullsMax, wanted.length) }, pull));
  return kept;
}

/** Why there is nothing to ask for. */
const unread = ({ change, omission, version }: Change): Omission | null =>
  omission ?? (change !== 'deleted' && version === undefined ? 'unreadable' : null);

/** What may still be kept, in bytes but for `files`. */
type Room = { files: number; step: number; session: number };
type Pulling = { route: Route; room: Room; signal: AbortSignal };

async function roomFor(
  { db, limits }: StoreFilesDependencies,
  { sessionId, filesMax }: { sessionId: string; filesMax: number },
): Promise<Room> {
  const kept = await retryThroughOutage(() => countStoredBytes(db, { sessionId }), { ms: outageMsMax });
  return { files: filesMax, step: limits.keptStepBytesMax, session: limits.keptSessionBytesMax - kept };
}

type Pulled = Pick<StoredFile, 'content' | 'omission'>;

async function keepOne(deps: StoreFilesDependencies, pulling: Pulling, change: Change): Promise<Pulled> {
  const { room } = pulling;
  if (change.size > deps.limits.keptFileBytesMax) return { content: null, omission: 'too-large' };
  if (change.size > room.step || room.files === 0) return { content: null, omission: 'step-limit' };
  if (change.size > room.session) return { content: null, omission: 'session-limit' };
  take(room, change.size, 1);
  const pulled = await pull(deps, pulling, change);
  if (!pulled.content) take(room, -change.size, -1);
  return pulled;
}

function take(room: Room, bytes: number, files: number): void {
  room.files -= files;
  room.step -= bytes;
  room.session -= bytes;
}

/** Whoever waits for the end of a step does so for each file. */
const outageMsMax = 10_000;

async function pull(deps: StoreFilesDependencies, { route, signal }: Pulling, change: Change): Promise<Pulled> {
  const { path, size, version = '' } = change;
  const keep = () =>
    deps.contents.store(deps.agents.readFile(route, { path, version, signal }), { bytesMax: size, signal });
  try {
    const content = await retryThroughOutage(keep, { ms: outageMsMax });
    return content.size === size ? { content, omission: null } : { content: null, omission: 'changing' };
  } catch (error) {
    return { content: null, omission: omissionFor(deps, signal, error) };
  }
}

function omissionFor({ log }: StoreFilesDependencies, signal: AbortSignal, error: unknown): Omission {
  if (signal.aborted) return 'unreadable';
  if (error instanceof ContentTooLarge) return 'changing';
  if (!(error instanceof AgentError)) {
    log.error({ err: error }, 'a file could not be kept');
    return 'unreadable';
  }
  return error.kind === 'cut' || error.slug === 'precondition-failed' ? 'changing' : 'unreadable';
}
