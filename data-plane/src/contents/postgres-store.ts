import type { Database } from '../registry/connect.ts';
import { deleteContentPieces } from '../registry/contents/delete-content-pieces.ts';
import { insertContentPiece } from '../registry/contents/insert-content-piece.ts';
import { readContentPiece } from '../registry/contents/read-content-piece.ts';
import { DamagedContent } from './damaged-content.ts';
import type { ObjectStore } from './object-store.ts';
import { pieceBytes, piecesOf } from './pieces.ts';

/**
 * Stores an object as rows of pieces. `db` may commit lazily: the commit that records the content's hash also makes all earlier
 * commits durable. A key is the id of a row in `contents`.
 */
export function createPostgresStore({ db }: { db: Database }): ObjectStore {
  return {
    name: 'postgres',
    async put(key, source, signal) {
      try {
        let number = 0;
        for await (const bytes of piecesOf(source)) {
          signal?.throwIfAborted();
          await insertContentPiece(db, { contentId: key, number: number++, bytes });
        }
      } catch (error) {
        await deleteContentPieces(db, { contentIds: [key] }).catch(() => {});
        throw error;
      }
    },
    get: (key, range) => readObject(db, key, range),
    delete: (keys) => deleteContentPieces(db, { contentIds: keys }),
  };
}

type PieceRange = { number: number; start: number; length: number };

/** Reads the next piece while the caller uses the current one. */
async function* readObject(db: Database, key: string, range: { start: number; end: number }) {
  let next: Promise<Buffer> | null = null;
  for (const piece of piecesIn(range)) {
    const current: Promise<Buffer> | null = next;
    next = readPart(db, key, piece);
    // A failure is thrown at the await below. If the caller stops reading before, it must not count as unhandled.
    next.catch(() => {});
    if (current) yield await current;
  }
  if (next) yield await next;
}

function* piecesIn({ start, end }: { start: number; end: number }): Generator<PieceRange> {
  for (let at = start; at < end; ) {
    const number = Math.floor(at / pieceBytes);
    const pieceEnd = Math.min(end, (number + 1) * pieceBytes);
    yield { number, start: at - number * pieceBytes, length: pieceEnd - at };
    at = pieceEnd;
  }
}

async function readPart(db: Database, key: string, { number, start, length }: PieceRange): Promise<Buffer> {
  const bytes = await readContentPiece(db, { contentId: key, number, start, length });
  if (bytes?.length !== length) throw new DamagedContent(`the object ${key} ends early, in its piece ${number}`);
  return bytes;
}
