import { beforeAll, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { expectGit, expectProcessEndInPause, expectProcesses, expectProcessLimits } from '../processes.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test('processes of a pod run with arguments, input, signals and a terminal', () => expectProcesses(holdfast));

test('a pause ends the processes of a pod', () => expectProcessEndInPause(holdfast));

test('git works in a pod, between two directories outside the workspace', () => expectGit(holdfast));

test('processes of a pod are held to their limits', () => expectProcessLimits(holdfast));
