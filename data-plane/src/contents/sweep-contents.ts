import type { Database } from '../registry/connect.ts';
import { disownContents } from '../registry/contents/disown-contents.ts';
import { removeContents } from '../registry/contents/remove-contents.ts';
import { takeStaleContents } from '../registry/contents/take-stale-contents.ts';
import type { ObjectStore } from './object-store.ts';

/** Rows per turn: two look-ups each. */
const lookedAtMax = 20_000;
const removedAtOnce = 100;
const batchesPerTurn = 10;

/**
 * One turn of `Contents.sweep`, which looks at contents whose id comes after `after`. Objects go before their rows, so that a crash
 * between the two forgets nothing.
 *
 * @returns `after` of the next turn
 */
export async function sweepContents(
  { db, stores }: { db: Database; stores: readonly ObjectStore[] },
  { after }: { after: string },
): Promise<{ removed: number; after: string }> {
  let removed = 0;
  const failures: unknown[] = [];
  const last = await disownContents(db, { after, limit: lookedAtMax }).catch((error) => {
    // Somebody referred to one of them at that very instant: the next turn sees it.
    failures.push(error);
    return after;
  });
  for (const store of stores) {
    // A storage that cannot be reached is no reason to keep what lies in the other.
    await removeStale(db, store, (count) => {
      removed += count;
    }).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  return { removed, after: last ?? '' };
}

async function removeStale(db: Database, store: ObjectStore, onRemoved: (count: number) => void): Promise<void> {
  for (let batch = 0; batch < batchesPerTurn; batch++) {
    const ids = await takeStaleContents(db, { store: store.name, limit: removedAtOnce });
    if (ids.length === 0) return;
    await store.delete(ids);
    await removeContents(db, { ids });
    onRemoved(ids.length);
    if (ids.length < removedAtOnce) return;
  }
}
