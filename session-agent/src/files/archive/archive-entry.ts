/** An entry of an archive, in its order. Read the `body` of a file before the next entry is requested. */
export type ArchiveEntry =
  | { kind: 'directory'; path: string }
  | { kind: 'file'; path: string; mode: number; body: AsyncIterable<Uint8Array> };
