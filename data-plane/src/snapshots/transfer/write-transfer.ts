import { Problem, type TransferHead, transferHeadBytesMax, transferMagic } from '@holdfast/specs/public';
import type { Contents } from '../../contents/contents.ts';
import type { Seal } from '../../keys/seal.ts';
import type { Database } from '../../registry/connect.ts';
import type { SnapshotRow } from '../../registry/schema/snapshots.ts';
import { listSnapshotDirectories, listSnapshotFiles } from '../../registry/snapshots/list-snapshot-files.ts';
import { emptyDirectories } from '../../registry/world-files/directories-of.ts';

export type WriteDependencies = {
  db: Database;
  contents: Pick<Contents, 'open'>;
  deployment: string;
  /** Signs with the key that the operator's deployments share; null if there is none. */
  transferSeal: Pick<Seal, 'sign' | 'verify'> | null;
};

/** A snapshot for another deployment. `size` is in bytes. */
export type Transfer = { size: number; bytes(): AsyncGenerator<Uint8Array, void, undefined> };

/**
 * Makes the transfer of a snapshot: everything that another deployment needs, signed. Its bytes are read as they are sent.
 * @throws Problem 422 if it has too many files, 501 if no key is set
 */
export async function writeTransfer(
  deps: WriteDependencies,
  snapshot: SnapshotRow & { sha256: Buffer },
): Promise<Transfer> {
  const { db, deployment, transferSeal } = deps;
  if (!transferSeal) throw noTransferKey();
  const of = { snapshotId: snapshot.id };
  const listed = snapshot.files ? await listSnapshotFiles(db, of) : null;
  // Only those that are true, as the head has a limit.
  const files =
    listed?.map(({ executable, mode, target, ...file }) => ({
      ...file,
      ...(executable && { executable }),
      ...(mode && { mode }),
      ...(target && { target }),
    })) ?? null;
  const directories = await listSnapshotDirectories(db, of);
  const head: TransferHead = {
    format: 1,
    deployment,
    language: snapshot.language,
    interpreter: snapshot.manifest?.interpreter ?? '',
    takenAt: snapshot.createdAt.toISOString(),
    state: { size: snapshot.size, sha256: snapshot.sha256.toString('hex') },
    files,
    directories: emptyDirectories({ files: files ?? [], directories }),
    notSavedFiles: snapshot.files?.notSaved ?? [],
  };
  const text = JSON.stringify(head);
  if (Buffer.byteLength(text) > transferHeadBytesMax) {
    throw new Problem('snapshot-refused', { detail: `${files?.length} files are too many for one archive` });
  }
  const start = Buffer.from(`${transferMagic}\n${text}\n${transferSeal.sign(text).toString('base64url')}\n`);
  const contents = contentsOf(head);
  return {
    size: contents.reduce((sum, { size }) => sum + size, start.length),
    async *bytes() {
      yield start;
      for (const content of contents) yield* read(deps, content);
    },
  };
}

/** The contents of a transfer in their order, each once. Pure. */
export function contentsOf({ state, files }: Pick<TransferHead, 'state' | 'files'>): TransferHead['state'][] {
  const distinct = new Map((files ?? []).map(({ sha256, size }) => [sha256, { sha256, size }]));
  distinct.delete(state.sha256);
  return [state, ...distinct.values()];
}

async function* read(
  { contents }: WriteDependencies,
  { sha256 }: TransferHead['state'],
): AsyncGenerator<Uint8Array, void, undefined> {
  const content = await contents.open(sha256);
  if (!content) throw new Error('a content of the snapshot is gone');
  yield* content.read();
}

export const noTransferKey = () =>
  new Problem('not-configured', {
    detail: 'snapshots move between deployments only if the operator has set HOLDFAST_TRANSFER_KEY in both',
  });
