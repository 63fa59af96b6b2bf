/** Writes and waits until the reader has room, so that output of code is never held in memory. */
export async function write(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  if (stream.write(text) || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      stream.off('drain', go).off('close', go);
      resolve();
    };
    // A stream that has failed is closed, and its failure is for those that listen to errors.
    stream.on('drain', go).on('close', go);
  });
}
