import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';

test('a Python kernel holds the source of a step as long as code of it exists, and no longer', async () => {
  await using open = await openKernel('python');
  await open.run('def kept():\n    return [][0]');
  await open.run('class Shape:\n    sides = 3');
  for (let step = 3; step <= 20; step++) await open.run(step % 2 ? `x = ${step}` : '[][1]');
  const known = 'import linecache; sorted(int(name[6:-1]) for name in linecache.cache if name.startswith("<step"))';
  // The error of step 20 is the last one, which is kept for debuggers.
  expect((await open.run(known)).shown).toBe('[1, 2, 20, 21]');
  expect((await open.run('kept()')).error?.traceback.join('\n')).toContain('return [][0]');
  await open.run('del kept');
  await open.run('[][2]');
  expect((await open.run(known)).shown).toBe('[2, 24, 25]');
  await open.run('import sys; frame = sys._getframe()');
  expect((await open.run(known)).shown).toBe('[2, 24, 26, 27]');
});
