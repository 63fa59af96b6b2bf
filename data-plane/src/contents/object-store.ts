import type { StoreName } from '../registry/schema/contents.ts';

/**
 * A storage for the bytes of contents, modelled on S3: it holds objects under keys. An object is written once, completely or not
 * at all, and never changed.
 * @throws Problem `storage-unavailable` if the storage cannot be reached or refuses us.
 */
export interface ObjectStore {
  readonly name: StoreName;
  /** Resolves once the whole object is durable. If it throws, for `source` too, no object exists under the key. */
  put(key: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /** `end` is exclusive. Throws if the object is missing or ends early. */
  get(key: string, range: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Deletes objects and the remains of an interrupted `put`. A missing object is success. */
  delete(keys: readonly string[]): Promise<void>;
}
