import type { Extract, Pack } from 'tar-stream';

/** One end of a tar that takes bytes. */
type Taker = Extract | ReturnType<Pack['entry']>;

/** Writes pieces as fast as they are taken, and the end after them; gives up where the taker is destroyed. */
export async function writePieces(taker: Taker, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let wake = () => {};
  taker.on('drain', () => wake());
  taker.on('close', () => wake());
  for await (const piece of pieces) {
    if (taker.destroyed) return;
    if (taker.write(piece)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (taker.destroyed) resolve();
    });
  }
  taker.end(null);
}
