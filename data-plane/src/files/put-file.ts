import { agentWrittenSchema, linklessHeader } from '@holdfast/specs/agent';
import { isOutside, type WrittenFile } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import type { Content, Contents } from '../contents/contents.ts';
import { ContentTooLarge } from '../contents/meter.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import type { Database } from '../registry/connect.ts';
import { readRoom, type StorageLimits } from '../registry/tenants/read-room.ts';
import { storageFull } from '../registry/tenants/storage-full.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { directoriesOf } from '../registry/world-files/directories-of.ts';
import { listReplaceableFiles } from '../registry/world-files/list-replaceable-files.ts';
import { markIfLinked } from '../registry/world-files/mark-if-linked.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { recordChange } from '../world/record-change.ts';
import { hidesSome, refuseHidden, refuseIfHiding, refuseProposed } from '../world/refuse-host-change.ts';
import { reserveFiles } from '../world/reserve-files.ts';
import { bodyTooLarge } from './bounded-body.ts';
import { putOutside } from './put-outside.ts';
import { teeBody } from './tee-body.ts';
import { type UploadDependencies, uploadInOrder } from './upload-in-order.ts';

export type PutFileDependencies = ExplainDependencies &
  UploadDependencies & {
    db: Database;
    contents: Pick<Contents, 'store'>;
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    limits: StorageLimits & { uploadBytesMax: number };
  };

type PutFileInput = {
  caller: Caller;
  sessionId: string;
  path: string;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** The announced length of the body in bytes. */
  size?: number | undefined;
  /** The conditional headers and the digest of the client's request, which the agent checks. */
  headers?: Record<string, string>;
  /** Awaited while the world is claimed, before anything is changed; nothing is if it throws. */
  beforeChange?: () => Promise<void>;
  signal?: AbortSignal;
};

/**
 * Writes a file to the session's world and to its working copy, or to neither. The body is stored and sent at the same time; the agent
 * puts the file in its place only after all of it is stored. A file outside the workspace is only written to the sandbox.
 *
 * @throws Problem 403, 404, 409, 410, 412, 413, 422, 502, 503, 507
 */
export async function putFile(
  deps: PutFileDependencies,
  input: PutFileInput,
): Promise<WrittenFile & { isNew: boolean }> {
  const { caller, sessionId, path, body, size = 0, headers = {}, beforeChange } = input;
  const { signal = new AbortController().signal } = input;
  if (isOutside(path)) return await putOutside(deps, { caller, sessionId, path, body, size, headers });
  const { uploadBytesMax } = deps.limits;
  if (size > uploadBytesMax) throw bodyTooLarge(uploadBytesMax);
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  // The policy of the route is the agent's as well: it refuses requests under another one.
  const isLinkless = hidesSome(route);
  const { bytesMax, tooLarge } = await limitOf(deps, { route, path });
  if (size > bytesMax) throw tooLarge;
  const { first, second, fail } = teeBody(body);
  const storing = deps.contents.store(first, { bytesMax, signal });
  // It may fail while the upload still ends, before it is asked for its reason.
  storing.catch(() => {});
  let isNew = false;
  const upload = {
    route,
    body: second,
    signal,
    method: 'PUT' as const,
    path: `/v1/files?path=${encodeURIComponent(path)}`,
    headers: { ...headers, ...(isLinkless && { [linklessHeader]: 'true' }) },
    schema: agentWrittenSchema,
    onHeaders: (_: unknown, status: number) => {
      isNew = status === 201;
    },
    leavesAll: () => true,
    beforeEnd: async (claim: WorldClaim) => {
      refuseHidden(claim, [path]);
      if (!isLinkless) refuseIfHiding(claim);
      await refuseProposed(deps.db, claim, [path]);
      await reserve(deps, { route, claim, path, content: await storing });
      await beforeChange?.();
    },
  };
  try {
    return await uploadInOrder(deps, upload, async (written, claim) => {
      const content = await storing;
      refuseOther(written, content);
      const put = [{ path, ...content, executable: written.executable, mode: written.mode }];
      const entry = entryOf(caller, sessionId, { operation: 'world.write', path, ...content });
      const paths = [...directoriesOf(path), path];
      await recordChange(deps.db, entry, async (tx) => {
        const marked = await markIfLinked(tx, { claim, paths });
        return await recordChanges(tx, { claim: marked, artifacts: [], put, remove: [] });
      });
      return { path, ...content, isNew };
    });
  } catch (error) {
    fail(error);
    // If storing failed, sending failed for the same reason.
    const cause = await storing.then(
      () => error,
      (reason: unknown) => reason,
    );
    if (cause instanceof ContentTooLarge) throw tooLarge;
    throw await explainFailedCall(deps, { key, error: cause });
  }
}

/** The most bytes that a body may have, and the problem of one that has more. A file that is replaced makes room. */
async function limitOf(
  { db, limits }: Pick<PutFileDependencies, 'db' | 'limits'>,
  { route: { sessionId, tenant }, path }: { route: Route; path: string },
) {
  const { uploadBytesMax } = limits;
  const { session, tenant: ofTenant } = await readRoom(db, { tenant, sessionId, limits });
  const room = Math.max(0, Math.min(session, ofTenant));
  const replaced = room < uploadBytesMax ? await listReplaceableFiles(db, { sessionId, paths: [path] }) : new Map();
  const bytesMax = room + (replaced.get(path) ?? 0);
  return bytesMax < uploadBytesMax
    ? { bytesMax, tooLarge: storageFull(session <= ofTenant ? 'session-limit' : 'tenant-limit', limits) }
    : { bytesMax: uploadBytesMax, tooLarge: bodyTooLarge(uploadBytesMax) };
}

type Reserving = { route: Route; claim: WorldClaim; path: string; content: Content };

/** Another upload may have taken the room meanwhile. */
async function reserve(
  { db, limits }: Pick<PutFileDependencies, 'db' | 'limits'>,
  { route: { tenant }, claim, path, content: { size } }: Reserving,
): Promise<void> {
  const unlimited = { ...limits, keptFileBytesMax: size, keptStepBytesMax: size };
  const files = [{ path, size }];
  const [omission] = await reserveFiles({ db, limits: unlimited }, { tenant, claim, files, filesMax: 1 });
  if (omission === 'session-limit' || omission === 'tenant-limit') throw storageFull(omission, limits);
}

function refuseOther(written: WrittenFile, { sha256, size }: Content): void {
  if (written.sha256 === sha256 && written.size === size) return;
  throw new AgentError('invalid', 'the agent wrote other bytes than it was sent');
}
