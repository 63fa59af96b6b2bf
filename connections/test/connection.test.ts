import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type AnswerPlain, Connections, type OtherRequests, readPlainRequest } from '../src/index.ts';

const limits = { restMs: 40, stalledMs: 400, idleMs: 800 };

type Options = { answerPlain?: AnswerPlain; endsWithClient?: boolean; stalledMs?: number | null };

/** A server that says of each request which way it went, and a client of it of which the test sees every byte. */
async function serving({ answerPlain, endsWithClient = true, stalledMs = limits.stalledMs }: Options = {}) {
  const http = createHttpServer(async (incoming, outgoing) => {
    (incoming.socket as unknown as OtherRequests).begun(incoming, outgoing);
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    outgoing.end(`[node ${body}]`);
  });
  http.keepAliveTimeout = 0;
  const connections = new Connections({ ...limits, stalledMs });
  const served = {
    read: (chunk: Buffer) =>
      readPlainRequest(chunk, { isPath: (path) => path === '/plain', isPlainHeader: () => false }),
    answerPlain: answerPlain ?? (async ({ body }, answer) => answer.end(`[plain ${body}]`)),
    head: (status: number) => `HTTP/1.1 ${status} OK\r\n`,
    serveOthers: (requests: OtherRequests) => void http.emit('connection', requests),
    endsWithClient,
  };
  const tcp = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => connections.serve(socket, served));
  await once(tcp.listen(0, '127.0.0.1'), 'listening');
  const client = connect((tcp.address() as AddressInfo).port, '127.0.0.1');
  client.setNoDelay(true).on('error', () => {});
  let received = '';
  client.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  onTestFinished(() => {
    client.destroy();
    tcp.close();
  });
  const answers = () => received.match(/\[[^\]]*\]/g) ?? [];
  const until = async (count: number) => {
    while (answers().length < count && !client.closed)
      await Promise.race([once(client, 'data'), once(client, 'close')]);
    return answers();
  };
  return { client, http, connections, until, received: () => received };
}

const request = (body: string, more = '') =>
  `POST /plain HTTP/1.1\r\nHost: a\r\n${more}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const other = 'X-Other: 1\r\n';

test('answers plain requests itself and leaves all others to Node, in turn on one connection', async () => {
  const { client, until } = await serving();
  const kinds = ['', other, '', '', other, other, ''];
  for (const [index, more] of kinds.entries()) {
    client.write(request(`${index}`, more));
    await until(index + 1);
  }
  expect(await until(7)).toEqual(kinds.map((more, index) => `[${more ? 'node' : 'plain'} ${index}]`));
});

test('waits for a body that comes after its head', async () => {
  const { client, until } = await serving();
  for (const part of [request('{"a":1}').slice(0, -7), '{"a"', ':1}']) {
    client.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await until(1)).toEqual(['[plain {"a":1}]']);
});

test('leaves a body whose rest does not come in time to Node', async () => {
  const { client, connections, until } = await serving();
  client.write(request('{"a":1}').slice(0, -3));
  await once(client, 'connect');
  await new Promise((resolve) => setTimeout(resolve, 3 * limits.restMs));
  client.write(':1}');
  expect(await until(1)).toEqual(['[node {"a":1}]']);
  client.write(request('2'));
  expect(await until(2)).toEqual(['[node {"a":1}]', '[plain 2]']);
  expect(connections.size).toBe(1);
});

test('leaves a body that comes bit by bit to Node, however soon each bit follows the last one', async () => {
  const { client, until } = await serving();
  await once(client, 'connect');
  for (const bit of [request('{"abcdef":12345}').slice(0, -16), ...'{"abcdef":12345}']) {
    client.write(bit);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await until(1)).toEqual(['[node {"abcdef":12345}]']);
});

test('answers requests that come before the answers to earlier ones, in their order', async () => {
  const [begun, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { client, until } = await serving({
    answerPlain: async ({ body }, answer) => {
      begun.resolve();
      await sent.promise;
      answer.end(`[plain ${body}]`);
    },
  });
  client.write(request('1'));
  await begun.promise;
  client.write(request('2') + request('3', other) + request('4'), () => sent.resolve());
  expect(await until(4)).toEqual(['[plain 1]', '[node 2]', '[node 3]', '[node 4]']);
});

test('ends an answer whose client has left', async () => {
  const closed = Promise.withResolvers<void>();
  const { client } = await serving({
    answerPlain: async (_request, answer) => {
      answer.once('close', () => closed.resolve());
    },
  });
  client.write(request('1'));
  await once(client, 'connect');
  client.end();
  await closed.promise;
});

test('answers a client that has sent its last request, if its clients may end their side', async () => {
  const { client, received } = await serving({
    endsWithClient: false,
    answerPlain: async (_request, answer) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      answer.end('[late]');
    },
  });
  client.end(request('1'));
  await once(client, 'close');
  expect(received()).toContain('[late]');
});

test('closes a connection on which nothing comes, and not one on which an answer takes long', async () => {
  const { client, until } = await serving({
    answerPlain: async (_request, answer) => {
      await new Promise((resolve) => setTimeout(resolve, 2 * limits.idleMs));
      answer.end('[slow]');
    },
  });
  client.write(request('1'));
  expect(await until(1)).toEqual(['[slow]']);
  await once(client, 'close');
});

test('keeps a connection on which a request comes from time to time', async () => {
  const { client, until } = await serving();
  for (let count = 1; count <= 4; count++) {
    client.write(request(`${count}`));
    await until(count);
    await new Promise((resolve) => setTimeout(resolve, limits.idleMs / 2));
  }
  client.write(request('5'));
  expect(await until(5)).toContain('[plain 5]');
});

test('closes a connection whose client takes nothing of its answer', async () => {
  const { client, connections } = await serving({
    answerPlain: async (_request, answer) => answer.end('x'.repeat(64 * 1024 * 1024)),
  });
  await once(client, 'connect');
  client.pause();
  client.write(request('1'));
  await goneFrom(connections);
});

test('lets a client take nothing of its answer for as long as it likes, if the limits say so', async () => {
  const bytes = 16 * 1024 * 1024;
  const { client, received } = await serving({
    stalledMs: null,
    answerPlain: async (_request, answer) => answer.end('x'.repeat(bytes)),
  });
  await once(client, 'connect');
  client.pause();
  client.write(request('1'));
  await new Promise((resolve) => setTimeout(resolve, 3 * limits.idleMs));
  client.resume();
  while (received().length < bytes && !client.closed) await Promise.race([once(client, 'data'), once(client, 'close')]);
  expect(received().length).toBeGreaterThan(bytes);
});

test('goes on with a plain answer if Node’s server closes what it takes for idle connections', async () => {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { client, http, until } = await serving({
    answerPlain: async (_request, answer) => {
      begun.resolve();
      await go.promise;
      answer.end('[plain]');
    },
  });
  let seen: Socket | undefined;
  http.on('request', ({ socket }) => {
    seen = socket;
  });
  client.write(request('1', other));
  await until(1);
  client.write(request('2'));
  await begun.promise;
  seen?.destroy();
  go.resolve();
  expect(await until(2)).toEqual(['[node 1]', '[plain]']);
  await once(client, 'close');
});

test('ends when it is told to as soon as nothing is under way', async () => {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { client, connections, until } = await serving({
    answerPlain: async (_request, answer) => {
      begun.resolve();
      await go.promise;
      answer.end('[plain]');
    },
  });
  client.write(request('1'));
  await begun.promise;
  connections.end();
  go.resolve();
  expect(await until(1)).toEqual(['[plain]']);
  await once(client, 'close');
});

async function goneFrom(connections: Connections): Promise<void> {
  while (connections.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
