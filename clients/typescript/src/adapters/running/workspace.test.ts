import { expect, test } from 'vitest';
import { workspaceAt } from './workspace.ts';

test.each([
  ['a.txt', 'a.txt'],
  ['/srv/work/a.txt', 'a.txt'],
  ['/srv/work', ''],
  ['.', ''],
  ['/srv/workspace/a.txt', '/srv/workspace/a.txt'],
  ['../other/a.txt', '/srv/other/a.txt'],
  ['a/../b/./c', 'b/c'],
  ['/../../etc/passwd', '/etc/passwd'],
])('a command means by %j the path %j of the API', (path, inApi) => {
  expect(workspaceAt('/srv/work').inApi(path)).toBe(inApi);
});
