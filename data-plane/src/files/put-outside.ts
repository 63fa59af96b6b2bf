import { agentWrittenSchema } from '@holdfast/specs/agent';
import type { WrittenFile } from '@holdfast/specs/public';
import type { Caller } from '../sessions/caller.ts';
import { type UploadOutsideDependencies, uploadOutside } from './upload-outside.ts';

type PutOutsideInput = {
  caller: Caller;
  sessionId: string;
  path: string;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  size: number;
  /** The conditional headers and the digest of the client's request, which the agent checks. */
  headers: Record<string, string>;
};

/**
 * Writes a file of the sandbox outside the workspace.
 * @throws Problem 403, 404, 409, 410, 412, 413, 422, 502, 503, 507
 */
export async function putOutside(
  deps: UploadOutsideDependencies,
  { path, headers, ...input }: PutOutsideInput,
): Promise<WrittenFile & { isNew: boolean }> {
  let isNew = false;
  const call = {
    method: 'PUT' as const,
    path: `/v1/files?path=${encodeURIComponent(path)}`,
    headers,
    schema: agentWrittenSchema,
    onHeaders: (_: unknown, status: number) => {
      isNew = status === 201;
    },
  };
  const { sha256, size } = await uploadOutside(deps, { ...input, audited: { operation: 'file.write', path }, call });
  return { path, size, sha256, isNew };
}
