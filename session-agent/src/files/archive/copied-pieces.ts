import type { OpenFile } from '../read/open-file.ts';
import { readFile } from '../read/read-file.ts';

/** A file's bytes up to the size that it had, each piece for itself, for streams that read ahead. */
export async function* copiedPieces(file: OpenFile): AsyncGenerator<Buffer> {
  for await (const piece of readFile(file, { start: 0, end: Number(file.stats.size) })) yield Buffer.from(piece);
}
