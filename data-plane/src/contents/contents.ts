import type { Database } from '../registry/connect.ts';
import { collectContents } from './collect-contents.ts';
import type { ObjectStore } from './object-store.ts';
import { openContent } from './open-content.ts';
import { storeContent } from './store-content.ts';

/** `sha256` is hex, `size` in bytes. */
export type Content = { sha256: string; size: number };

type StoreOptions = { bytesMax: number; signal?: AbortSignal | undefined };

/** `end` is exclusive. */
export type ByteRange = { start: number; end: number };

export type OpenContent = { size: number; read(range?: ByteRange): AsyncIterable<Uint8Array> };

export type Contents = {
  /**
   * Stores the bytes of `source` and resolves once they are durable. A content that no artifact or world file refers to within an hour
   * is collected. Reads the next chunk of `source` after it wrote the one before, reads none after `signal` aborts, and never changes
   * a chunk.
   *
   * @throws ContentTooLarge beyond `bytesMax`; errors of `source` as they are
   */
  store(source: AsyncIterable<Uint8Array>, options: StoreOptions): Promise<Content>;
  /** Null if there is no such content. */
  open(sha256: string): Promise<OpenContent | null>;
  /** Deletes contents without references and the remains of interrupted writes, both after an hour. Returns the number of objects deleted. */
  collect(): Promise<number>;
};

type ContentsInput = {
  db: Database;
  /** Every store that may hold contents. */
  stores: readonly ObjectStore[];
  /** The one of them for new contents. */
  store: ObjectStore;
};

export function createContents({ db, stores, store }: ContentsInput): Contents {
  let after = '';
  return {
    store: (source, options) => storeContent({ db, store }, { source, ...options }),
    open: (sha256) => openContent({ db, stores }, { sha256 }),
    async collect() {
      const collected = await collectContents({ db, stores }, { after });
      after = collected.after;
      return collected.deleted;
    },
  };
}
