import { afterAll, beforeAll, test } from 'vitest';
import {
  expectGit,
  expectProcessEndByPolicy,
  expectProcessEndInPause,
  expectProcesses,
  expectProcessLimits,
} from '../../../e2e/processes.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { startOnKubernetes } from '../support/start-on-kubernetes.ts';

let fake: FakeKubernetes;
let holdfast: Awaited<ReturnType<typeof startOnKubernetes>>;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  holdfast = await startOnKubernetes(fake);
});
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]();
  await fake.close();
});

test('processes run with arguments, input, signals and a terminal', () => expectProcesses(holdfast), 90_000);

test('git works between two directories outside the workspace', () => expectGit(holdfast), 120_000);

test('processes are held to their limits', () => expectProcessLimits(holdfast), 90_000);

test('a pause ends the processes of its session', () => expectProcessEndInPause(holdfast), 90_000);

test(
  'a policy that forbids shell commands ends the processes of its session',
  () => expectProcessEndByPolicy(holdfast),
  90_000,
);
