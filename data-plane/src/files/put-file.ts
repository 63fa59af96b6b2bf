import { Problem, type WrittenFile, writtenFileSchema } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import { type Content, type Contents, ContentTooLarge } from '../contents/contents.ts';
import type { Database } from '../registry/connect.ts';
import { storedBytes } from '../registry/contents/stored-bytes.ts';
import { putWorldFile } from '../registry/world-files/put-world-file.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { bodyTooLarge } from './bounded-body.ts';
import { teeBody } from './tee-body.ts';
import { type UploadDependencies, uploadInTurn } from './upload-in-turn.ts';

export type PutFileDependencies = ExplainDependencies &
  UploadDependencies & {
    db: Database;
    contents: Pick<Contents, 'keep'>;
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    limits: { uploadBytesMax: number; keptSessionBytesMax: number };
  };

type PutFileInput = {
  caller: Caller;
  sessionId: string;
  path: string;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** What the body announces to have, in bytes. */
  size?: number | undefined;
  /** Conditions and the digest, as the client sent them: the agent holds to them. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/**
 * Writes a file to the session's world and to its working copy, or to neither. The body is kept and sent at once; the agent puts it in
 * its place once all of it is kept.
 *
 * @throws Problem 403, 404, 409, 410, 412, 413, 422, 502, 503, 507
 */
export async function putFile(
  deps: PutFileDependencies,
  { caller, sessionId, path, body, size = 0, headers = {}, signal = new AbortController().signal }: PutFileInput,
): Promise<WrittenFile & { isNew: boolean }> {
  const { uploadBytesMax: bytesMax } = deps.limits;
  if (size > bytesMax) throw bodyTooLarge(bytesMax);
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  await refuseBeyondCap(deps, { sessionId, size });
  const { first, second, fail } = teeBody(body);
  const kept = deps.contents.keep(first, { bytesMax, signal });
  let isNew = false;
  const upload = {
    route,
    body: second,
    signal,
    path: `/v1/files?path=${encodeURIComponent(path)}`,
    headers,
    schema: writtenFileSchema,
    onHeaders: (_: unknown, status: number) => {
      isNew = status === 201;
    },
    beforeEnd: async () => refuseBeyondCap(deps, { sessionId, size: (await kept).size }),
  };
  try {
    return await uploadInTurn(deps, upload, async (written) => {
      const content = await kept;
      refuseOther(written, content);
      await putWorldFile(deps.db, { sessionId, path, ...content });
      return { path, ...content, isNew };
    });
  } catch (error) {
    fail(error);
    // Where it was not kept, that is why it was not sent either.
    const cause = await kept.then(
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
  if (size === 0 || (await storedBytes(db, { sessionId })) + size <= keptSessionBytesMax) return;
  const detail = `what is kept of a session has at most ${keptSessionBytesMax} bytes`;
  throw new Problem('workspace-full', { detail });
}

function refuseOther(written: WrittenFile, { sha256, size }: Content): void {
  if (written.sha256 === sha256 && written.size === size) return;
  throw new AgentError('invalid', 'the agent has written something else than it was sent');
}
