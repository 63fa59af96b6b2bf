import { afterAll, beforeAll, test } from 'vitest';
import {
  expectGit,
  expectOutputOverKill,
  expectProcessEndInPause,
  expectProcesses,
  expectProcessLimits,
} from '../processes.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine();
});
afterAll(() => on[Symbol.asyncDispose]());

test('processes of a container run with arguments, input, signals and a terminal', () => expectProcesses(on.holdfast));

test('a pause ends the processes of a container', () => expectProcessEndInPause(on.holdfast));

test('git works in a container, between two directories outside the workspace', () => expectGit(on.holdfast));

test('processes of a container are held to their limits', () => expectProcessLimits(on.holdfast));

test('a process of a container goes on while the data-plane is killed and started again, and no output is lost', async () => {
  const at = {
    get holdfast() {
      return on.holdfast;
    },
    kill: () => on.restart('kill'),
  };
  await expectOutputOverKill(at);
});
