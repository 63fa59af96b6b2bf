import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '@holdfast/specs/agent';
import type { Omission } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Content, Contents } from '../contents/contents.ts';
import { ContentTooLarge } from '../contents/meter.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import type { NewWorldFile } from '../registry/world-files/record-changes.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type FileLimits, reserveFiles } from './reserve-files.ts';
import { isDatabaseAway, retryThroughOutage } from './retry-through-outage.ts';

export type StoreFilesDependencies = {
  agents: Pick<AgentClient, 'readFile'>;
  contents: Pick<Contents, 'store'>;
  db: Database;
  log: Pick<Logger, 'error'>;
  limits: FileLimits;
};

/**
 * `content` is null if the file was deleted, or if it was not stored for the reason in `omission`. `isFailed`: it may be stored later, as
 * neither a limit nor the agent's answer was the reason.
 */
export type ChangedFile = { change: Change; content: Content | null; omission: Omission | null; isFailed: boolean };

type StoreFilesInput = {
  route: Route;
  /** The claim of the session's world. Room is reserved for as long as it lasts. */
  claim: WorldClaim;
  changes: readonly Change[];
  /** The number of files whose contents are stored; the others have the omission `step-limit`. */
  filesMax: number;
  /** Whether to wait for a database that is away, for as long as that takes. */
  isPatient: boolean;
};

/** The number of files of one call that are read at the same time. */
const pullsMax = 4;

/** The number of reads of one call that are repeated after a connection was lost. A sandbox that is gone loses every one. */
const repeatsMax = 8;
const repeatMs = 200;

/** A slow sandbox gets a minute, and the time that its files take at 4 MiB a second. */
const graceMs = 60_000;
const bytesPerMs = 4096;

/**
 * Stores the contents of changed files and the targets of links, each in the version that the agent reported or not at all. Returns a file for each change, in
 * their order. A file that has more or fewer bytes than the agent announced is omitted as `changing`. A read whose connection is lost is
 * repeated; any other failure of a single file is an omission.
 *
 * @throws the database's error if it is away and this is not patient, or if room cannot be reserved
 */
export async function storeChangedFiles(
  deps: StoreFilesDependencies,
  { route, claim, changes, filesMax, isPatient }: StoreFilesInput,
): Promise<ChangedFile[]> {
  const files: ChangedFile[] = changes.map((change) => ({
    change,
    content: null,
    omission: unreadReason(change),
    isFailed: false,
  }));
  const wanted = files.filter(({ change, omission }) => change.change !== 'deleted' && omission === null);
  if (wanted.length === 0) return files;
  const sized = wanted.map(({ change: { path, size } }) => ({ path, size }));
  const reserving = { tenant: route.tenant, claim, files: sized, filesMax };
  const omissions = await retryThroughOutage(() => reserveFiles(deps, reserving), { isPatient });
  for (const [index, file] of wanted.entries()) file.omission = omissions[index] ?? null;
  const fitting = wanted.filter(({ omission }) => omission === null);
  const bytes = fitting.reduce((sum, { change }) => sum + change.size, 0);
  const timeoutMs = graceMs + Math.ceil(bytes / bytesPerMs);
  const pulling: Pulling = {
    route,
    isPatient,
    timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
    repeatsLeft: repeatsMax,
  };
  const queue = fitting.values();
  const storeQueued = async () => {
    for (const file of queue) Object.assign(file, await pullFile(deps, pulling, file.change));
  };
  await Promise.all(Array.from({ length: Math.min(pullsMax, fitting.length) }, storeQueued));
  return files;
}

/** Those of the files that were stored, for the world. */
export const storedFiles = (files: readonly ChangedFile[]): NewWorldFile[] =>
  files.flatMap(({ change: { path, executable, mode, target }, content }) => {
    if (!content) return [];
    return [
      target === undefined ? { path, ...content, executable, mode } : { path, ...content, executable: false, target },
    ];
  });

/** The omission of a file that the agent cannot be asked for. */
const unreadReason = ({ change, omission, version, target }: Change): Omission | null =>
  omission ?? (change !== 'deleted' && version === undefined && target === undefined ? 'unreadable' : null);

type Pulling = {
  route: Route;
  isPatient: boolean;
  /** The time for all files together, which begins anew after an outage. */
  timeoutMs: number;
  signal: AbortSignal;
  repeatsLeft: number;
};

type Stored = Pick<ChangedFile, 'content' | 'omission' | 'isFailed'>;

async function pullFile(deps: StoreFilesDependencies, pulling: Pulling, change: Change): Promise<Stored> {
  const { path, size, version = '', target } = change;
  const { route, isPatient } = pulling;
  let { signal } = pulling;
  const store = async () => {
    signal = pulling.signal;
    try {
      const bytes =
        target === undefined ? deps.agents.readFile(route, { path, version, signal }) : once(Buffer.from(target));
      return await deps.contents.store(bytes, {
        bytesMax: size,
        signal,
      });
    } catch (error) {
      if (isPatient && isDatabaseAway(error)) pulling.signal = AbortSignal.timeout(pulling.timeoutMs);
      throw error;
    }
  };
  for (;;) {
    try {
      const content = await retryThroughOutage(store, { isPatient });
      return content.size === size ? { content, omission: null, isFailed: false } : omitted('changing');
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (!isDisconnection(error) || signal.aborted || pulling.repeatsLeft === 0)
        return omissionFor(deps, signal, error);
    }
    pulling.repeatsLeft -= 1;
    await delay(repeatMs);
  }
}

/** Also the way in which an agent ends the answer of a file that shrinks while it is read. */
const isDisconnection = (error: unknown): boolean =>
  error instanceof AgentError && (error.kind === 'cut' || error.kind === 'undelivered');

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

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
