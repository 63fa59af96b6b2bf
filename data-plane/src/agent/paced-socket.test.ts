import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Pace } from './pace.ts';
import { paceSocket } from './paced-socket.ts';

/** A connection on which `bytes` have arrived, and whose peer may be read `pieces` times before it has to wait. */
async function pacedConnection({ bytes, pieces }: { bytes: number; pieces: number }) {
  const server = createServer((peer) => peer.on('error', () => {}).end(Buffer.alloc(bytes))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  const seen = { spent: 0, waiting: [] as (() => void)[] };
  let left = pieces;
  const pace: Pace = {
    may: () => left-- > 0,
    later: (_, work) => {
      seen.waiting.push(() => {
        left = pieces;
        work();
      });
    },
    spend: () => {
      seen.spent += 1;
    },
  };
  paceSocket(socket, { peer: 'a', pace });
  return { socket, seen };
}

test('reads in pieces, no more than the pace allows, and goes on when it is the turn of the peer', async () => {
  const { socket, seen } = await pacedConnection({ bytes: 200_000, pieces: 2 });
  const read: number[] = [];
  socket.on('readable', () => {
    for (let piece = socket.read(); piece !== null; piece = socket.read()) read.push(piece.length);
  });
  const ended = once(socket, 'end');
  await expect.poll(() => seen.waiting.length).toBe(1);
  expect(read.length).toBeLessThanOrEqual(2);
  const before = read.length;
  const goOn = () => {
    for (const work of seen.waiting.splice(0)) work();
  };
  goOn();
  expect(read.length).toBeGreaterThan(before);
  const pump = setInterval(goOn, 1);
  await ended;
  clearInterval(pump);
  expect(read.reduce((sum, length) => sum + length, 0)).toBe(200_000);
  expect(Math.max(...read)).toBeLessThanOrEqual(16 * 1024);
  expect(seen.spent).toBeGreaterThanOrEqual(read.length);
});
