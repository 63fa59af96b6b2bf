/** A line without its end; null for one that was too long to keep. */
export type Line = string | null;

/** The lines of a stream. A longer one than `bytesMax` is let through and not kept. */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  { bytesMax }: { bytesMax: number },
): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= bytesMax) pieces.push(piece);
    else pieces = [];
  };
  const end = (): Line => {
    const line = bytes <= bytesMax ? Buffer.concat(pieces).toString().replace(/\r$/, '') : null;
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      add(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (bytes > 0) yield end();
}
