/** What an archive brings, in its order. A file's `body` has to be read before the next entry is asked for. */
export type ArchiveEntry =
  | { kind: 'directory'; path: string }
  | { kind: 'file'; path: string; mode: number; body: AsyncIterable<Uint8Array> };
