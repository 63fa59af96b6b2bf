import type { Database } from '../registry/connect.ts';
import { deleteContents } from '../registry/contents/delete-contents.ts';
import { hideUnreferencedContents } from '../registry/contents/hide-unreferenced-contents.ts';
import { markContentsForDeletion } from '../registry/contents/mark-contents-for-deletion.ts';
import type { ObjectStore } from './object-store.ts';

/** Rows that one pass checks, with two lookups each. */
const checkedMax = 20_000;
const batchSize = 100;
const batchesPerPass = 10;

/**
 * One pass of `Contents.collect`. It checks contents whose id comes after `after`. Objects are deleted before their rows, so that a
 * crash between the two loses track of none.
 *
 * @returns the `after` of the next pass
 */
export async function collectContents(
  { db, stores }: { db: Database; stores: readonly ObjectStore[] },
  { after }: { after: string },
): Promise<{ deleted: number; after: string }> {
  let deleted = 0;
  const failures: unknown[] = [];
  const last = await hideUnreferencedContents(db, { after, limit: checkedMax }).catch((error) => {
    // A reference to one of them may have been written just now. The next pass finds it.
    failures.push(error);
    return after;
  });
  for (const store of stores) {
    // One storage that cannot be reached does not stop the collection in the other.
    await deleteMarked(db, store, (count) => {
      deleted += count;
    }).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  return { deleted, after: last ?? '' };
}

async function deleteMarked(db: Database, store: ObjectStore, onDeleted: (count: number) => void): Promise<void> {
  for (let batch = 0; batch < batchesPerPass; batch++) {
    const ids = await markContentsForDeletion(db, { store: store.name, limit: batchSize });
    if (ids.length === 0) return;
    await store.delete(ids);
    await deleteContents(db, { ids });
    onDeleted(ids.length);
    if (ids.length < batchSize) return;
  }
}
