import { beforeAll, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { expectFileRoots, expectMovedWorkspace, expectUser } from '../moved-workspace.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test('a profile moves the workspace of a pod', () => expectMovedWorkspace(holdfast));

test('the user of a pod has the name of its profile, for the system as well', () => expectUser(holdfast));

test('files of a pod outside its workspace are under the roots of its profile', () => expectFileRoots(holdfast));
