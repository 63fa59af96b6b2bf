import { afterAll, beforeAll, describe } from 'vitest';
import { startRestartable } from '../../../data-plane/test/restartable/start-restartable.ts';
import { pythonScenarios } from './support/python-scenarios.ts';

let server: Awaited<ReturnType<typeof startRestartable>>;
beforeAll(async () => {
  server = await startRestartable();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(['synchronous', 'asynchronous'] as const)('the %s package', (half) =>
  pythonScenarios(() => server, half),
);
