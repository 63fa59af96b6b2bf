import { afterAll, beforeAll, test } from 'vitest';
import { expectPorts } from '../ports.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine();
});
afterAll(() => on[Symbol.asyncDispose]());

test('a server on the loopback of a container without a network is visited through its port', () =>
  expectPorts(on.holdfast));
