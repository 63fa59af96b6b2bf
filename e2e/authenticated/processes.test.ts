import { beforeAll, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { startNodeShell } from '../cluster/node-shell.ts';
import { replaceReplicas } from '../cluster/replace-replicas.ts';
import {
  expectGit,
  expectOutputOverKill,
  expectProcessEndInPause,
  expectProcesses,
  expectProcessLimits,
} from '../processes.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test('processes of a pod run with arguments, input, signals and a terminal', () => expectProcesses(holdfast));

test('a pause ends the processes of a pod', () => expectProcessEndInPause(holdfast));

test('git works in a pod, between two directories outside the workspace', () => expectGit(holdfast));

test('processes of a pod are held to their limits', () => expectProcessLimits(holdfast));

test('a process of a pod goes on while all replicas are killed, and no output is lost', async () => {
  const node = await startNodeShell();
  try {
    await expectOutputOverKill({ holdfast, kill: () => replaceReplicas(node) });
  } finally {
    await node.remove();
  }
});
