import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { findContent } from '../registry/contents/find-content.ts';
import type { OpenContent } from './contents.ts';
import type { ObjectStore } from './object-store.ts';

/** See `Contents.open`. */
export async function openContent(
  { db, stores }: { db: Database; stores: readonly ObjectStore[] },
  { sha256 }: { sha256: string },
): Promise<OpenContent | null> {
  const found = await findContent(db, { sha256 });
  if (!found) return null;
  const { id, size } = found;
  const store = stores.find(({ name }) => name === found.store);
  if (!store) {
    throw new Problem('storage-unavailable', {
      cause: new Error(`the store ${found.store} of ${id} is not configured`),
    });
  }
  return { size, read: (range = { start: 0, end: size }) => store.get(id, range) };
}
