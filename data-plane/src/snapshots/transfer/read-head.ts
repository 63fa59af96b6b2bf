import {
  Problem,
  type TransferHead,
  transferHeadBytesMax,
  transferHeadSchema,
  transferMagic,
  workspacePath,
} from '@holdfast/specs/public';
import type { Seal } from '../../keys/seal.ts';
import type { ByteReader } from './byte-reader.ts';

const signatureBytesMax = 256;

/**
 * Reads the head of a transfer. Nothing in it is believed before its signature was checked.
 * @throws Problem 422 if it is not a transfer, or one that another operator signed
 */
export async function readHead(reader: ByteReader, seal: Pick<Seal, 'verify'>): Promise<TransferHead> {
  if ((await reader.line(transferMagic.length)) !== transferMagic) throw refused('it is not the archive of a snapshot');
  const text = await reader.line(transferHeadBytesMax);
  const signature = text === null ? null : await reader.line(signatureBytesMax);
  if (text === null || signature === null) throw refused('it ends early');
  if (!seal.verify(text, signature)) {
    throw refused('it was changed, or was not signed with the HOLDFAST_TRANSFER_KEY of this deployment');
  }
  const head = transferHeadSchema.safeParse(JSON.parse(text));
  if (!head.success) throw refused('a newer version has made it', head.error);
  if (head.data.files?.some(({ path }) => workspacePath(path) !== path))
    throw refused('the path of a file is not valid');
  if (head.data.directories?.some((path) => path === '' || workspacePath(path) !== path))
    throw refused('the path of a directory is not valid');
  return head.data;
}

export const refused = (why: string, cause?: unknown) =>
  new Problem('archive-refused', { detail: `the archive was rejected: ${why}`, cause });
