import type { StoreName } from '../registry/schema/contents.ts';

/**
 * Where the bytes of contents lie; modelled on S3: objects under keys, each written once, whole or not at all, and never changed.
 * Throws Problem `storage-unavailable` where the storage cannot be reached or refuses us.
 */
export interface ObjectStore {
  readonly name: StoreName;
  /** Resolves once all of it is durable. Where it throws, also what `source` throws, nobody finds the object. */
  put(key: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /** `end` is exclusive. Throws where the object is not there or ends early. */
  get(key: string, range: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Also what a `put` that was cut off left behind. Gone already is success. */
  delete(keys: readonly string[]): Promise<void>;
}
