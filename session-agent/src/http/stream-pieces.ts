import type { ServerResponse } from 'node:http';

/**
 * Writes pieces to a response and ends it. It requests the next piece once the last one has left the process, so each piece needs to be
 * valid only until then. An error is thrown if nothing was sent yet; otherwise it destroys the response, so the reader sees that it was
 * cut off. If the reader disconnects, the pieces are not read further.
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
