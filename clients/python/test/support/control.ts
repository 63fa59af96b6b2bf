import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Installation } from '../../../../data-plane/test/support/installation.ts';

/** A server that a program under test can have killed and started again at the same address. */
export async function startRestartable(installation: Installation) {
  const port = await freePort();
  const start = () => installation.start({ HOLDFAST_PORT: String(port) });
  let holdfast = await start();
  let restarted = Promise.resolve();
  const restart = async (afterMs: number) => {
    await delay(afterMs);
    await holdfast.kill();
    holdfast = await start();
  };
  // `POST /?afterMs=` begins a restart, `GET /` answers when it is over.
  const control = createServer(async ({ method, url = '' }, response) => {
    if (method === 'POST') {
      restarted = restart(Number(new URL(url, 'http://control').searchParams.get('afterMs')));
      restarted.catch(() => {});
    } else await restarted;
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => control.once('listening', resolve));
  return {
    url: holdfast.url,
    controlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      control.closeAllConnections();
      await new Promise((resolve) => control.close(resolve));
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createSocketServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
