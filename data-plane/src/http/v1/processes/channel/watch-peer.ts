import type { WebSocket } from 'ws';

/** A peer that has not answered so many pings in a row is gone, or takes nothing of what it is sent. */
const missedMax = 4;

/** Pings a peer as often as `everyMs`, calls `onBeat` then, and ends the connection if it does not answer. Returns a function that stops it. */
export function watchPeer(socket: WebSocket, everyMs: number, onBeat: () => void): () => void {
  let missed = 0;
  socket.on('pong', () => {
    missed = 0;
  });
  const timer = setInterval(() => {
    missed += 1;
    if (missed > missedMax) socket.terminate();
    else {
      socket.ping(() => {});
      onBeat();
    }
  }, everyMs);
  return () => clearInterval(timer);
}
