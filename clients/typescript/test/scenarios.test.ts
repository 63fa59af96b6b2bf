import { afterAll, beforeAll } from 'vitest';
import { startRestartable } from '../../../data-plane/test/restartable/start-restartable.ts';
import { typescriptScenarios } from './typescript-scenarios.ts';

let server: Awaited<ReturnType<typeof startRestartable>>;
beforeAll(async () => {
  server = await startRestartable();
});
afterAll(() => server[Symbol.asyncDispose]());

typescriptScenarios(() => server);
