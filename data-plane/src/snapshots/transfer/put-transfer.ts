import { type NamedSnapshot, newId, Problem, type SnapshotManifest, type TransferHead } from '@holdfast/specs/public';
import type { Contents } from '../../contents/contents.ts';
import type { Seal } from '../../keys/seal.ts';
import { findSnapshot } from '../../registry/snapshots/find-snapshot.ts';
import { directoriesOf, withParents } from '../../registry/world-files/directories-of.ts';
import type { Caller } from '../../sessions/caller.ts';
import { type RoomDependencies, refuseBeyondRoom } from '../../sessions/start/refuse-beyond-room.ts';
import { createArchiveEnd } from '../../state/archive-end.ts';
import { type KeepDependencies, keepNamedSnapshot, nameTaken } from '../named/keep-named-snapshot.ts';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { readHead, refused } from './read-head.ts';
import { contentsOf, noTransferKey } from './write-transfer.ts';

export type PutDependencies = KeepDependencies &
  RoomDependencies & {
    contents: Pick<Contents, 'store'>;
    limits: { uploadBytesMax: number };
    transferSeal: Pick<Seal, 'sign' | 'verify'> | null;
  };

type PutInput = { caller: Caller; name: string; body: AsyncIterable<Uint8Array> };

/**
 * Keeps the snapshot of another deployment under a name. Nothing is recorded unless all of it came as it was signed.
 * @throws Problem 409 if the name is in use, 413, 422 if the archive is foreign, damaged or incomplete, 429, 501, 507
 */
export async function putTransfer(deps: PutDependencies, { caller, name, body }: PutInput): Promise<NamedSnapshot> {
  const { db, transferSeal } = deps;
  const { tenant } = caller;
  if (!transferSeal) throw noTransferKey();
  if (await findSnapshot(db, { ref: name, tenant })) throw nameTaken(name);
  const reader = createByteReader(body);
  try {
    const head = await readHead(reader, transferSeal);
    await refuseTooLarge(deps, { tenant, head });
    const [state, ...others] = contentsOf(head);
    const manifest = await storeState(deps, reader, state as Expected);
    for (const content of others) await storePart(deps, reader, content);
    if (!(await reader.isAtEnd())) throw refused('bytes follow its end');
    const { language, files, notSavedFiles: notSaved } = head;
    if (manifest.language !== language) throw refused('its state is of another language');
    const bytes = (files ?? []).reduce((sum, { size }) => sum + size, 0);
    const saved = files && { count: files.length, bytes, notSaved };
    const { sha256, size } = head.state;
    const id = newId('snp');
    const from = { files: files ?? [], directories: directoriesOfHead(head) };
    return await keepNamedSnapshot(deps, { caller, id, name, language, sha256, size, manifest, files: saved, from });
  } finally {
    await reader.close();
  }
}

/** A transfer names only the empty directories. */
const directoriesOfHead = ({ files, directories = [] }: TransferHead): string[] =>
  withParents([...(files ?? []).flatMap(({ path }) => directoriesOf(path)), ...directories]);

type Expected = TransferHead['state'];

async function refuseTooLarge(deps: PutDependencies, { tenant, head }: { tenant: string; head: TransferHead }) {
  const { uploadBytesMax } = deps.limits;
  const bytes = contentsOf(head).reduce((sum, { size }) => sum + size, 0);
  if (bytes > uploadBytesMax) throw new Problem('body-too-large', { detail: `the limit is ${uploadBytesMax} bytes` });
  await refuseBeyondRoom(deps, { tenant, sessionId: '', bytes });
}

async function storeState(deps: PutDependencies, reader: ByteReader, expected: Expected): Promise<SnapshotManifest> {
  const end = createArchiveEnd();
  await storePart(deps, reader, expected, end.through);
  try {
    return end.manifest();
  } catch (cause) {
    throw refused('its state is incomplete', cause);
  }
}

/** Stores one content. If it is not the one that the head announces, nothing refers to it, and it is collected. */
async function storePart(
  { contents }: PutDependencies,
  reader: ByteReader,
  { sha256, size }: Expected,
  through = (source: AsyncIterable<Uint8Array>) => source,
): Promise<void> {
  const stored = await contents.store(through(reader.bytes(size)), { bytesMax: size });
  if (stored.size < size) throw refused('it ends early');
  if (stored.sha256 !== sha256) throw refused('it is damaged');
}
