import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoveredAfter } from '../support/recovered-after.ts';
import { recoverState } from '../support/state.ts';

test.each([
  [
    'has attributes that are its items',
    'class Own(dict):\n  __getattr__ = dict.__getitem__\nown = Own(a=1)',
    'own["b"] = 3',
  ],
  [
    'notes each attribute that is read',
    'class Own:\n  def __getattribute__(self, name): seen.append(name); return object.__getattribute__(self, name)\nown = Own()',
    'copy = own',
  ],
  [
    'says that it is of another class',
    'class Own:\n  @property\n  def __class__(self): seen.append(1); return int\nown = Own()',
    'other.append(own)',
  ],
  [
    'ends the process when its class is looked at',
    'class Meta(type):\n  def __eq__(self, other): raise SystemExit\n  __hash__ = type.__hash__\n  def __getattribute__(self, name): raise SystemExit\nclass Own(metaclass=Meta): pass\nown = object.__new__(Own)',
    'print(own)',
  ],
  [
    'ends the process when its members are compared',
    'import enum\nclass Own(enum.Enum):\n  A = 1\n  def __eq__(self, other): raise SystemExit\n  def __hash__(self): return 1\nown = Own.A',
    'print(own)',
  ],
])('a recovery runs no code of a value that %s', async (_title, before, later) => {
  const found = await recoveredAfter(`seen = []; other = []; n = 1\n${before}\nseen.clear()`, later, 'n = 2');
  await using kernel = found.kernel;
  expect(found.report.replayed).toEqual(['n']);
  if (!found.lost.includes('seen')) expect((await kernel.run('seen')).shown).toBe('[]');
});

test('the end of a lost value runs none of its code', async () => {
  const before = 'log = []; n = [1]\nclass Own:\n  def __del__(self): log.append(1)\nown = [Own()]';
  const found = await recoveredAfter(before, 'own.append(n)');
  await using kernel = found.kernel;
  expect(found.lost).toEqual(expect.arrayContaining(['own']));
  if (!found.lost.includes('log')) expect((await kernel.run('log')).shown).toBe('[]');
});

test('a step that ends a value loses what the code at its end uses', async () => {
  const before = 'log = []; n = [1]\nclass Own:\n  def __del__(self): log.append(1)\nown = Own()';
  const found = await recoveredAfter(before, 'del own');
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(['log', 'own']);
});

test('everything is lost after a step that the analysis cannot follow', async () => {
  await using kernel = await openKernel('python');
  await kernel.run('import holdfast_kernel.state.later.effects as effects\neffects.Effects.of = None\ndel effects');
  const report = await recoverState(kernel.kernel, {
    steps: [{ code: 'n = 1' }, { code: 'print(n)' }, { code: 'm = 2' }],
  });
  expect(report.lost.map(({ name }) => name)).toEqual(expect.arrayContaining(['n', '*']));
  expect(report.replayed).toEqual(['m']);
  expect((await kernel.run('m')).shown).toBe('2');
});
