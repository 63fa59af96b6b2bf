import type { ServerResponse } from 'node:http';

/**
 * Writes pieces to a response and ends it. The next piece is asked for once the last has left the process, so each needs to be good only
 * until then. A fault destroys the response, which its reader sees as cut off, and is thrown where nothing was sent yet; a reader that goes
 * away ends the pieces.
 */
export async function streamPieces(outgoing: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let wake = () => {};
  outgoing.on('close', () => wake());
  try {
    for await (const piece of pieces) {
      if (outgoing.destroyed) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        outgoing.write(piece, () => resolve());
        if (outgoing.destroyed) resolve();
      });
    }
    outgoing.end();
  } catch (error) {
    if (!outgoing.headersSent) throw error;
    outgoing.destroy(error instanceof Error ? error : undefined);
  }
}
