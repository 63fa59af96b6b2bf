import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RestartableServer } from '../../../../data-plane/test/restartable/start-restartable.ts';

/**
 * Lets a program under test have a server killed and started again: `POST /?afterMs=` begins a restart, `GET /` answers when it is over, or
 * with 500 if it failed.
 */
export async function startControl(server: RestartableServer): Promise<{ url: string } & AsyncDisposable> {
  let restarted = Promise.resolve();
  const restart = async (afterMs: number) => {
    await delay(afterMs);
    await server.restart();
  };
  const control = createServer(async ({ method, url = '' }, response) => {
    if (method === 'POST') {
      restarted = restart(Number(new URL(url, 'http://control').searchParams.get('afterMs')));
      restarted.catch(() => {});
    } else {
      await restarted.catch((error) => {
        response.statusCode = 500;
        response.write(String(error));
      });
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await once(control, 'listening');
  return {
    url: `http://127.0.0.1:${(control.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      control.close();
      control.closeAllConnections();
      await once(control, 'close');
    },
  };
}
