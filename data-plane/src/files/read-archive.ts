import type { ArchiveFormat } from '@holdfast/specs/public';
import type { Caller } from '../sessions/caller.ts';
import { type AnswerSink, type RelayDependencies, relayFromAgent } from './relay-from-agent.ts';

type ReadArchiveInput = AnswerSink & { caller: Caller; sessionId: string; path: string; format: ArchiveFormat };

const contentTypes: Record<ArchiveFormat, string> = { tar: 'application/x-tar', zip: 'application/zip' };

/**
 * Reads a directory of the workspace as an archive.
 * @throws Problem 403, 404, 409, 410, 502, 503
 */
export async function readArchive(
  deps: RelayDependencies,
  { path, format, onHead, ...input }: ReadArchiveInput,
): Promise<void> {
  await relayFromAgent(deps, {
    ...input,
    path: `/v1/archive?path=${encodeURIComponent(path)}&format=${format}`,
    onHead: () => onHead({ status: 200, headers: { 'content-type': contentTypes[format] } }),
  });
}
