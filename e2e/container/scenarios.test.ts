import { afterAll, beforeAll, describe } from 'vitest';
import { pythonScenarios } from '../../clients/python/test/support/python-scenarios.ts';
import { typescriptScenarios } from '../../clients/typescript/test/typescript-scenarios.ts';
import { freePort, type RestartableServer } from '../../data-plane/test/restartable/start-restartable.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
let server: RestartableServer;
beforeAll(async () => {
  on = await startOnEngine({ HOLDFAST_PORT: String(await freePort()) });
  server = { url: on.holdfast.url, restart: () => on.restart('kill') };
});
afterAll(() => on?.[Symbol.asyncDispose]());

describe('the TypeScript client with containers', () => typescriptScenarios(() => server));

// The other half of the package runs with pods.
describe('the synchronous Python client with containers', () => pythonScenarios(() => server, 'synchronous'));
