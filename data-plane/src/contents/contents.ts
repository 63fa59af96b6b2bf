import type { Database } from '../registry/connect.ts';
import type { ObjectStore } from './object-store.ts';
import { openContent } from './open-content.ts';
import { storeContent } from './store-content.ts';
import { sweepContents } from './sweep-contents.ts';

export { ContentTooLarge } from './content-too-large.ts';

/** `sha256` is hex, `size` in bytes. */
export type Content = { sha256: string; size: number };

type KeepOptions = { bytesMax: number; signal?: AbortSignal | undefined };

/** `end` is exclusive. */
export type ByteRange = { start: number; end: number };

export type OpenContent = { size: number; read(range?: ByteRange): AsyncIterable<Uint8Array> };

export type Contents = {
  /**
   * Keeps what `source` gives and resolves once it is durable; whoever wants it for longer than an hour refers to it by then. The
   * source is asked for more once what it gave was written, and no more once `signal` aborts; its chunks stay as they were given.
   *
   * @throws ContentTooLarge beyond `bytesMax`, and whatever `source` throws
   */
  keep(source: AsyncIterable<Uint8Array>, options: KeepOptions): Promise<Content>;
  /** Null where there is no such content. */
  open(sha256: string): Promise<OpenContent | null>;
  /** Removes what nothing has referred to for an hour, and writes that were cut off. Answers how many objects went. */
  sweep(): Promise<number>;
};

type ContentsInput = {
  db: Database;
  /** All that contents may lie in. */
  stores: readonly ObjectStore[];
  /** The one of them that new contents go to. */
  store: ObjectStore;
};

export function createContents({ db, stores, store }: ContentsInput): Contents {
  let after = '';
  return {
    keep: (source, options) => storeContent({ db, store }, { source, ...options }),
    open: (sha256) => openContent({ db, stores }, { sha256 }),
    async sweep() {
      const swept = await sweepContents({ db, stores }, { after });
      after = swept.after;
      return swept.removed;
    },
  };
}
