import type { RawData, WebSocket } from 'ws';

/**
 * Takes one message at a time. Nothing is read from the client until all that have come were acted on: a piece of a connection can have
 * thousands of messages, and each of them may take long.
 */
export function takeMessages(socket: WebSocket, take: (message: Buffer, isBinary: boolean) => Promise<void>): void {
  let waiting = 0;
  let last = Promise.resolve();
  socket.on('message', (data: RawData, isBinary) => {
    waiting += 1;
    socket.pause();
    last = last
      .then(() => take(data as Buffer, isBinary))
      .finally(() => {
        waiting -= 1;
        if (waiting === 0) socket.resume();
      });
    last.catch(() => {});
  });
}
