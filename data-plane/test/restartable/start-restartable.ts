import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInstallation } from '../support/installation.ts';

/** A server that a client's test kills while the client waits for it. */
export type RestartableServer = {
  readonly url: string;
  /** Absent if no key is asked for. */
  readonly apiKey?: string;
  /** Kills it with SIGKILL, and resolves when it, or its successor, serves at the same address. */
  restart(): Promise<void>;
};

/** Starts a server with the process runtime. */
export async function startRestartable(): Promise<RestartableServer & AsyncDisposable> {
  const installation = await createInstallation();
  const port = String(await freePort());
  const start = () => installation.start({ HOLDFAST_PORT: port });
  let holdfast = await start();
  return {
    url: holdfast.url,
    async restart() {
      await holdfast.kill();
      holdfast = await start();
    },
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
}

/** A port for a server that is started again at the same address. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
