import { beforeAll, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { expectProcessEndInPause, expectProcesses } from '../processes.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test('processes of a pod run with arguments, input, signals and a terminal', () => expectProcesses(holdfast));

test('a pause ends the processes of a pod', () => expectProcessEndInPause(holdfast));
