import { Problem, type WrittenFile, writtenFileSchema } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import type { Content, Contents } from '../contents/contents.ts';
import { ContentTooLarge } from '../contents/meter.ts';
import type { Database } from '../registry/connect.ts';
import { countStoredBytes } from '../registry/contents/count-stored-bytes.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { recordChange } from '../world/record-change.ts';
import { bodyTooLarge } from './bounded-body.ts';
import { teeBody } from './tee-body.ts';
import { type UploadDependencies, uploadInOrder } from './upload-in-order.ts';

export type PutFileDependencies = ExplainDependencies &
  UploadDependencies & {
    db: Database;
    contents: Pick<Contents, 'store'>;
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    limits: { uploadBytesMax: number; keptSessionBytesMax: number };
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
 * puts the file in its place only after all of it is stored.
 *
 * @throws Problem 403, 404, 409, 410, 412, 413, 422, 502, 503, 507
 */
export async function putFile(
  deps: PutFileDependencies,
  input: PutFileInput,
): Promise<WrittenFile & { isNew: boolean }> {
  const { caller, sessionId, path, body, size = 0, headers = {}, beforeChange } = input;
  const { signal = new AbortController().signal } = input;
  const { uploadBytesMax: bytesMax } = deps.limits;
  if (size > bytesMax) throw bodyTooLarge(bytesMax);
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  await refuseBeyondCap(deps, { sessionId, size });
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
    headers,
    schema: writtenFileSchema,
    onHeaders: (_: unknown, status: number) => {
      isNew = status === 201;
    },
    leavesAll: () => true,
    beforeEnd: async () => {
      await refuseBeyondCap(deps, { sessionId, size: (await storing).size });
      await beforeChange?.();
    },
  };
  try {
    return await uploadInOrder(deps, upload, async (written, claim) => {
      const content = await storing;
      refuseOther(written, content);
      const put = [{ path, ...content }];
      await recordChange(() => recordChanges(deps.db, { claim, artifacts: [], put, remove: [] }));
      return { path, ...content, isNew };
    });
  } catch (error) {
    fail(error);
    // If storing failed, sending failed for the same reason.
    const cause = await storing.then(
      () => error,
      (reason: unknown) => reason,
    );
    if (cause instanceof ContentTooLarge) throw bodyTooLarge(bytesMax);
    throw await explainFailedCall(deps, { key, error: cause });
  }
}

async function refuseBeyondCap(
  { db, limits: { keptSessionBytesMax } }: Pick<PutFileDependencies, 'db' | 'limits'>,
  { sessionId, size }: { sessionId: string; size: number },
): Promise<void> {
  if (size === 0 || (await countStoredBytes(db, { sessionId })) + size <= keptSessionBytesMax) return;
  const detail = `a session can store at most ${keptSessionBytesMax} bytes of files`;
  throw new Problem('workspace-full', { detail });
}

function refuseOther(written: WrittenFile, { sha256, size }: Content): void {
  if (written.sha256 === sha256 && written.size === size) return;
  throw new AgentError('invalid', 'the agent wrote other bytes than it was sent');
}
