import type { Extract, Pack } from 'tar-stream';

/** A stream of tar-stream that takes bytes. Node's `pipeline` does not see when it has room again. */
type Sink = Extract | ReturnType<Pack['entry']>;

/** Writes pieces at the speed of the sink and ends it after them. Stops if the sink is destroyed. */
export async function writePieces(sink: Sink, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let wake = () => {};
  sink.on('drain', () => wake());
  sink.on('close', () => wake());
  for await (const piece of pieces) {
    if (sink.destroyed) return;
    if (sink.write(piece)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (sink.destroyed) resolve();
    });
  }
  sink.end(null);
}
