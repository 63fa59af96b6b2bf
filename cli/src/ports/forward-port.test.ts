import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { forwardPort } from './forward-port.ts';

/** A server with a forwarded port, and raw requests to the latter, each on a connection of its own. */
async function forwardTo(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forwarded = await forwardPort({ port: 0, to: url, server: { url, apiKey: 'key' } });
  return {
    server,
    url,
    ask: async (...lines: string[]) => {
      const socket = connect(forwarded.port, '127.0.0.1');
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      return await text(socket);
    },
    async [Symbol.asyncDispose]() {
      await forwarded[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const plain = ['Connection: close'];
const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];

test.each([[plain], [upgrade]])(
  'a whole address in the place of a path never reaches the server with the key (%j)',
  async (headers) => {
    const seen: unknown[] = [];
    await using port = await forwardTo(({ url }, answer) => {
      seen.push(url);
      answer.end();
    });
    port.server.on('upgrade', ({ url }, socket) => {
      seen.push(url);
      socket.destroy();
    });
    await port.ask(`GET ${port.url}/v1/sessions HTTP/1.1`, 'Host: localhost', ...headers);
    await port.ask('GET /page HTTP/1.1', 'Host: localhost', ...headers);
    expect(seen).toEqual(['/page']);
  },
);

test.each([[plain], [upgrade]])('a page of another site that names this machine gets nothing (%j)', async (headers) => {
  const seen: unknown[] = [];
  await using port = await forwardTo(({ url }, answer) => {
    seen.push(url);
    answer.end();
  });
  const refused = await port.ask('GET /rebound HTTP/1.1', 'Host: evil.test:8000', ...headers);
  expect(refused).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*called 127\.0\.0\.1 or localhost\n/);
  for (const host of ['127.0.0.1:8000', 'localhost', 'app.localhost:8000', '[::1]:8000']) {
    expect(await port.ask('GET /page HTTP/1.1', `Host: ${host}`, ...plain)).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(seen).toEqual(Array(4).fill('/page'));
});

test('a refusal of a WebSocket that comes in pieces is whole', async () => {
  await using port = await forwardTo((_, answer) => void answer.end());
  port.server.on('upgrade', (_, socket) => {
    socket.end(
      'HTTP/1.1 426 Upgrade Required\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nnot a\r\n5\r\n path\r\n0\r\n\r\n',
    );
  });
  const answer = await port.ask('GET / HTTP/1.1', 'Host: localhost', ...upgrade);
  expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\nConnection: close\r\n\r\nnot a path$/);
});

test('a client of HTTP/1.0 gets an answer without pieces', async () => {
  await using port = await forwardTo((_, answer) => {
    answer.write('a');
    answer.end('b');
  });
  expect(await port.ask('GET / HTTP/1.0')).toMatch(/\r\n\r\nab$/);
});
