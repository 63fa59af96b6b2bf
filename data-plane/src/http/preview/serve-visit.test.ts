import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Problem } from '@holdfast/specs/public';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPreviewHosts } from '../../ports/preview-hosts.ts';
import { createPreviewServer } from './preview-server.ts';
import type { VisitDependencies } from './serve-visit.ts';

const host = `8000-${'0'.repeat(26)}.localhost`;

/** A server of visits to a port that is public, and how they connect to it. */
async function serve(connectVisit: VisitDependencies['connectVisit']) {
  const error = vi.fn();
  const info = vi.fn();
  const visits = createPreviewServer({
    hosts: createPreviewHosts({ name: 'localhost', port: null, isSecure: false }),
    admitVisit: async () =>
      ({
        port: { id: 'prt_1', access: 'public', endsAtMs: performance.now() + 60_000 },
        token: null,
        caller: null,
      }) as never,
    connectVisit,
    addOpenRequest: () => () => {},
    log: { error, info } as never,
    metrics: { request: () => {} } as never,
  });
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming);
    visits.serve(incoming, outgoing);
  });
  server.on('upgrade', visits.upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, seen, error, info };
}

test('visits that share a connection leave nothing behind on it', async () => {
  const { port, seen } = await serve(async () => {
    throw new Problem('port-closed', { detail: 'nothing listens' });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const listeners: (number | undefined)[] = [];
  for (let visit = 0; visit < 3; visit++) {
    const [answer] = await once(get({ port, host: '127.0.0.1', headers: { host }, agent }), 'response');
    expect(answer.statusCode).toBe(502);
    await once(answer.resume(), 'end');
    listeners.push(seen.at(-1)?.socket.listenerCount('close'));
  }
  expect(new Set(seen.map(({ socket }) => socket)).size).toBe(1);
  expect(new Set(listeners).size).toBe(1);
});

test('a visitor may reset a connection that waits for its upgrade, and the server does not log a failure', async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { port, error } = await serve(async ({ signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    ended.resolve();
    throw new Error('the request was aborted');
  });
  const visitor = connect(port, '127.0.0.1').on('error', () => {});
  visitor.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  await begun.promise;
  visitor.resetAndDestroy();
  await ended.promise;
  await new Promise(setImmediate);
  expect(error).not.toHaveBeenCalled();
});

test('a WebSocket that is silent for too long ends, and is not taken for a failure of its server', async () => {
  const echo = createServer().on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Fine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void echo.close());
  let onSilence = () => {};
  const { port, info } = await serve(async () => {
    const connection = connect((echo.address() as AddressInfo).port, '127.0.0.1');
    await once(connection, 'connect');
    return Object.assign(connection, {
      setTimeout(_ms: number, onTimeout: () => void) {
        onSilence = onTimeout;
        return connection;
      },
    }) as never;
  });
  const visitor = connect(port, '127.0.0.1').on('error', () => {});
  visitor.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  expect(String(await once(visitor, 'data'))).toMatch(/^HTTP\/1.1 101 /);
  onSilence();
  await once(visitor, 'close');
  await vi.waitFor(() => expect(info).toHaveBeenCalled());
  const [event] = info.mock.lastCall ?? [];
  expect(event).toMatchObject({ status: 101 });
  expect(event).not.toHaveProperty('problem');
});
