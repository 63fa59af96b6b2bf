import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { runningProcesses, variable } from '../../src/runtimes/process/running-processes.ts';
import type { ProductSession } from '../stage/start-product.ts';

/**
 * Kills a session's agent, listens on its port, and runs a step. True if the only request that arrives there is the one for a proof, without
 * a token.
 * @throws Error if the data-plane asks nothing at that address, so that the check says nothing
 */
export async function provesPeers({ sandbox, agentEndpoint, runStep }: ProductSession): Promise<boolean> {
  const port = Number(new URL(await agentEndpoint()).port);
  const processes = (await runningProcesses()).filter((one) => variable(one, 'HOLDFAST_SANDBOX_NAME') === sandbox);
  for (const { pid } of processes) process.kill(pid, 'SIGKILL');

  const requests: string[] = [];
  const impostor = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}${'authorization' in request.headers ? ' with a token' : ''}`);
    response.writeHead(404).end();
  });
  await listenOnceFree(impostor, port);
  await runStep({ code: '1' }).catch(() => {});
  impostor.closeAllConnections();
  impostor.close();
  if (requests.length === 0) throw new Error('no request arrived at the address of the killed agent');
  return requests.every((request) => request === 'POST /v1/proof');
}

/** The killed process may hold its port for another moment. */
async function listenOnceFree(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if (attempt === 200) throw error;
      await wait(10);
    }
  }
}
