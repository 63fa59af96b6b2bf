import { beforeAll, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { expectHostInControl, expectSafeAnalysis } from '../governed-sessions.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test('a pod under safe-analysis has no network, starts no program and changes no file', () =>
  expectSafeAnalysis(holdfast));

test('a change of a pod waits for the host, and its code gets the answers of the host', () =>
  expectHostInControl(holdfast));
