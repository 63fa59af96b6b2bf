import { beforeAll, describe } from 'vitest';
import { pythonScenarios } from '../../clients/python/test/support/python-scenarios.ts';
import { typescriptScenarios } from '../../clients/typescript/test/typescript-scenarios.ts';
import type { RestartableServer } from '../../data-plane/test/restartable/start-restartable.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { startNodeShell } from '../cluster/node-shell.ts';
import { replaceReplicas } from '../cluster/replace-replicas.ts';

let server: RestartableServer;
beforeAll(async () => {
  const { url, headers, close } = await installHoldfast();
  const node = await startNodeShell();
  server = { url, apiKey: headers['x-api-key'] as string, restart: () => replaceReplicas(node) };
  return async () => {
    await node.remove();
    await close();
  };
});

describe('the TypeScript client with pods', () => typescriptScenarios(() => server));

// The other half of the package runs with containers.
describe('the asynchronous Python client with pods', () => pythonScenarios(() => server, 'asynchronous'));
