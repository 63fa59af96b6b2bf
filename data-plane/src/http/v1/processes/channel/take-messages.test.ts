import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { takeMessages } from './take-messages.ts';

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
});
afterAll(() => server.close());

test('reads nothing more from a client until each message that came was acted on', async () => {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[socket]] = await Promise.all([once(server, 'connection'), once(client, 'open')]);
  const taken: string[] = [];
  const paused: boolean[] = [];
  const all = Promise.withResolvers<void>();
  takeMessages(socket as WebSocket, async (message) => {
    paused.push(socket.isPaused);
    taken.push(message.toString());
    if (taken.length === 200) all.resolve();
  });
  client.send('first');
  const { _socket: connection } = client as unknown as { _socket: Socket };
  // All of them come in one piece.
  connection.cork();
  for (let at = 1; at < 200; at++) client.send(String(at));
  connection.uncork();
  await all.promise;
  expect(taken).toEqual(['first', ...Array.from({ length: 199 }, (_, at) => String(at + 1))]);
  expect(paused).not.toContain(false);
  client.terminate();
});
