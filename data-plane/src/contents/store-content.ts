import { newId } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { finishContent } from '../registry/contents/finish-content.ts';
import { insertContent } from '../registry/contents/insert-content.ts';
import { removeContents } from '../registry/contents/remove-contents.ts';
import { storeSmallContent } from '../registry/contents/store-small-content.ts';
import { touchContent } from '../registry/contents/touch-content.ts';
import { touchUnfinishedContent } from '../registry/contents/touch-unfinished-content.ts';
import type { Content } from './contents.ts';
import { createMeter } from './meter.ts';
import type { ObjectStore } from './object-store.ts';
import { pieceBytes, piecesOf } from './pieces.ts';
import { untilAborted } from './until-aborted.ts';

type KeepDependencies = { db: Database; store: ObjectStore };
type KeepInput = { source: AsyncIterable<Uint8Array>; bytesMax: number; signal?: AbortSignal | undefined };

/** See `Contents.keep`. */
export async function storeContent(
  { db, store }: KeepDependencies,
  { source, bytesMax, signal }: KeepInput,
): Promise<Content> {
  const meter = createMeter({ bytesMax });
  const pieces = piecesOf(meter.through(untilAborted(source, signal)));
  const head = await headOf(pieces);
  if (!head.rest) return await keepWhole({ db, store }, head.bytes, { ...meter.content(), signal });
  return await keepObject({ db, store }, { pieces: head.rest, content: meter.content, signal });
}

type Head = { bytes: Buffer; rest: null } | { rest: AsyncIterable<Buffer> };

/** What is no more than a piece is known as a whole before anything is written. */
async function headOf(pieces: AsyncGenerator<Buffer, void, undefined>): Promise<Head> {
  const first = await pieces.next();
  if (first.done) return { bytes: Buffer.alloc(0), rest: null };
  const second = first.value.length < pieceBytes ? ({ done: true } as const) : await pieces.next();
  if (second.done) return { bytes: first.value, rest: null };
  return { rest: singleFlight([first.value, second.value], pieces) };
}

async function* singleFlight(first: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* first;
  yield* rest;
}

type WholeOptions = Content & { signal?: AbortSignal | undefined };

async function keepWhole(
  { db, store }: KeepDependencies,
  bytes: Buffer,
  { signal, ...content }: WholeOptions,
): Promise<Content> {
  const { sha256 } = content;
  if (store.name === 'postgres') {
    await storeSmallContent(db, { id: newId('obj'), sha256, bytes });
    return content;
  }
  if (await touchContent(db, { sha256 })) return content;
  return await keepObject({ db, store }, { pieces: singleFlight([bytes], nothing()), content: () => content, signal });
}

async function* nothing(): AsyncGenerator<Buffer, void, undefined> {}

type ObjectInput = { pieces: AsyncIterable<Buffer>; content(): Content; signal?: AbortSignal | undefined };

async function keepObject({ db, store }: KeepDependencies, { pieces, content, signal }: ObjectInput): Promise<Content> {
  const id = newId('obj');
  // Whatever becomes of us, and of what we discard, the sweep finds this row, and by it the bytes.
  await insertContent(db, { id, store: store.name });
  const discard = () =>
    store
      .delete([id])
      .then(() => removeContents(db, { ids: [id] }))
      .catch(() => {});
  try {
    await store.put(id, stayingAlive(db, { id, pieces }), signal);
    signal?.throwIfAborted();
    const finished = await finishContent(db, { id, ...content() });
    if (finished === 'gone') throw new Error(`the object ${id} was swept while it was written`);
    // Whoever kept the same bytes before keeps them for us.
    if (finished === 'known') await discard();
    return content();
  } catch (error) {
    await discard();
    throw error;
  }
}

const touchEveryMs = 60_000;

/** Says now and then that the object is still being written: only a source that gives nothing for an hour is given up. */
async function* stayingAlive(
  db: Database,
  { id, pieces }: { id: string; pieces: AsyncIterable<Buffer> },
): AsyncGenerator<Buffer, void, undefined> {
  let touchedAt = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - touchedAt > touchEveryMs) {
      if (!(await touchUnfinishedContent(db, { id })))
        throw new Error(`the object ${id} was swept while it was written`);
      touchedAt = performance.now();
    }
    yield piece;
  }
}
