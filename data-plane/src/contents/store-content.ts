import { newId } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { deleteContents } from '../registry/contents/delete-contents.ts';
import { finishContent } from '../registry/contents/finish-content.ts';
import { insertContent } from '../registry/contents/insert-content.ts';
import { storeSmallContent } from '../registry/contents/store-small-content.ts';
import { touchContent } from '../registry/contents/touch-content.ts';
import { touchUnfinishedContent } from '../registry/contents/touch-unfinished-content.ts';
import type { Content } from './contents.ts';
import { createMeter } from './meter.ts';
import type { ObjectStore } from './object-store.ts';
import { pieceBytes, piecesOf } from './pieces.ts';
import { untilAborted } from './until-aborted.ts';

type StoreDependencies = { db: Database; store: ObjectStore };
type StoreInput = { source: AsyncIterable<Uint8Array>; bytesMax: number; signal?: AbortSignal | undefined };

/** See `Contents.store`. */
export async function storeContent(
  { db, store }: StoreDependencies,
  { source, bytesMax, signal }: StoreInput,
): Promise<Content> {
  const meter = createMeter({ bytesMax });
  const pieces = piecesOf(meter.through(untilAborted(source, signal)));
  const start = await startOf(pieces);
  if (start.isAll) return await storeBytes({ db, store }, start.bytes, { ...meter.content(), signal });
  return await storeObject({ db, store }, { pieces: start.pieces, content: meter.content, signal });
}

type Start = { isAll: true; bytes: Buffer } | { isAll: false; pieces: AsyncIterable<Buffer> };

/** Reads far enough to tell whether the content fits into one piece, in which case its hash is known before anything is written. */
async function startOf(pieces: AsyncGenerator<Buffer, void, undefined>): Promise<Start> {
  const first = await pieces.next();
  if (first.done) return { isAll: true, bytes: Buffer.alloc(0) };
  const second = first.value.length < pieceBytes ? ({ done: true } as const) : await pieces.next();
  if (second.done) return { isAll: true, bytes: first.value };
  return { isAll: false, pieces: concatenate([first.value, second.value], pieces) };
}

async function* concatenate(first: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* first;
  yield* rest;
}

type BytesInput = Content & { signal?: AbortSignal | undefined };

async function storeBytes(
  { db, store }: StoreDependencies,
  bytes: Buffer,
  { signal, ...content }: BytesInput,
): Promise<Content> {
  const { sha256 } = content;
  if (store.name === 'postgres') {
    await storeSmallContent(db, { id: newId('obj'), sha256, bytes });
    return content;
  }
  if (await touchContent(db, { sha256 })) return content;
  return await storeObject({ db, store }, { pieces: onePiece(bytes), content: () => content, signal });
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes;
}

type ObjectInput = { pieces: AsyncIterable<Buffer>; content(): Content; signal?: AbortSignal | undefined };

async function storeObject(
  { db, store }: StoreDependencies,
  { pieces, content, signal }: ObjectInput,
): Promise<Content> {
  const id = newId('obj');
  // If this process ends before it has discarded an object, `Contents.collect` finds the object by this row.
  await insertContent(db, { id, store: store.name });
  const discard = () =>
    store
      .delete([id])
      .then(() => deleteContents(db, { ids: [id] }))
      .catch(() => {});
  try {
    await store.put(id, touchWhileRead(db, { id, pieces }), signal);
    signal?.throwIfAborted();
    const finished = await finishContent(db, { id, ...content() });
    if (finished === 'gone') throw collectedTooEarly(id);
    // An earlier object has the same bytes and now serves this content too.
    if (finished === 'known') await discard();
    return content();
  } catch (error) {
    await discard();
    throw error;
  }
}

const touchEveryMs = 60_000;

/** Touches the object's row as long as pieces come, so that it is collected only if its source gives nothing for an hour. */
async function* touchWhileRead(
  db: Database,
  { id, pieces }: { id: string; pieces: AsyncIterable<Buffer> },
): AsyncGenerator<Buffer, void, undefined> {
  let touchedAt = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - touchedAt > touchEveryMs) {
      if (!(await touchUnfinishedContent(db, { id }))) throw collectedTooEarly(id);
      touchedAt = performance.now();
    }
    yield piece;
  }
}

const collectedTooEarly = (id: string) => new Error(`the object ${id} was collected while it was being written`);
