import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { forwardPort } from './forward-port.ts';

test.each(['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'])(
  'a whole address in the place of a path never reaches the server with the key (%j)',
  async (headers) => {
    const seen: unknown[] = [];
    await using server = createServer(({ url }, answer) => {
      seen.push(url);
      answer.end();
    });
    server.on('upgrade', ({ url }, socket) => {
      seen.push(url);
      socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using forwarded = await forwardPort({ port: 0, to: url, server: { url, apiKey: 'key' } });
    const ask = async (target: string) => {
      const socket = connect(forwarded.port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers || 'Connection: close\r\n'}\r\n`);
      await text(socket);
    };
    await ask(`${url}/v1/sessions`);
    await ask('/page');
    expect(seen).toEqual(['/page']);
  },
);
