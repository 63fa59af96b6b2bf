import type { Socket } from 'node:net';
import { noteBytes } from './collect-young-garbage.ts';
import type { Pace } from './pace.ts';

/** The longest piece of work. Chunks of one byte in so many bytes take about 3 ms to parse. */
const pieceBytesMax = 16 * 1024;

/**
 * Has everything that comes on a connection read at the pace of its peer. This is the one place that sees the cost of all bytes, also of
 * those outside a body, such as a chunk extension that never ends (RFC 9112, 7.1.1). Unread bytes stay in the peer's send buffer.
 *
 * A reader takes pieces until there are no more, and works on each before it takes the next. So the time until it asks again, or until
 * its turn ends, is the time that the piece cost.
 */
export function paceSocket(socket: Socket, { peer, pace }: { peer: string; pace: Pace }): void {
  const read = socket.read.bind(socket);
  let givenAt: number | null = null;
  let givenBytes = 0;
  let isWaiting = false;

  function settle(): void {
    if (givenAt === null) return;
    noteBytes(givenBytes);
    pace.spend(peer, performance.now() - givenAt);
    givenAt = null;
  }

  function goOn(): void {
    isWaiting = false;
    if (!socket.destroyed) socket.emit('readable');
  }

  function wait(): null {
    if (!isWaiting) pace.later(peer, goOn);
    isWaiting = true;
    return null;
  }

  socket.read = (size) => {
    settle();
    const { readableLength } = socket;
    if (readableLength === 0 || size !== undefined || socket.destroyed) return read(size);
    if (!pace.may(peer)) return wait();
    if (givenAt === null) process.nextTick(settle);
    const piece = readableLength > pieceBytesMax ? read(pieceBytesMax) : read();
    givenAt = performance.now();
    givenBytes = piece?.length ?? 0;
    return piece;
  };
}
