import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { postWebhook } from './post-webhook.ts';

const post = (url: string) =>
  postWebhook({ url, headers: {}, body: '{}', allowsPrivate: false, timeoutMs: 2000 }).then(
    () => 'sent',
    (error: Error) => error.message,
  );

test.each([
  ...['https://127.0.0.1', 'https://127.1', 'https://2130706433', 'https://0x7f000001', 'https://017700000001'],
  ...[
    'https://0',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:a9fe:a9fe]',
    'https://169.254.169.254',
  ],
  ...['https://localhost', 'https://LOCALHOST.', 'https://１２７.0.0.1', 'https://[64:ff9b::7f00:1]:8443/x'],
])('nothing is sent to %s', async (url) => {
  expect(await post(url)).toMatch(/is not a public address|no address is known for|no name server told/);
});

test('nothing is sent over http', async () => {
  expect(await post('http://example.com')).toBe('only https is allowed');
});

test('a receiver that switches protocols has not answered', async () => {
  const receiver = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const sent = postWebhook({ url, headers: {}, body: '{}', allowsPrivate: true, timeoutMs: 60_000 });
  await expect(sent).rejects.toThrow('without an answer');
});

test('a receiver at which nothing listens is told in words', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, 'close');
  const sent = postWebhook({ url, headers: {}, body: '{}', allowsPrivate: true, timeoutMs: 60_000 });
  await expect(sent).rejects.toThrow('the receiver refuses connections');
});
