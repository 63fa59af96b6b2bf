import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoveredAfter } from '../support/recovered-after.ts';
import { recoverState, saveState } from '../support/state.ts';

test.each([
  ['a generator', 'l = []; g = (l.append(k) for k in range(3))', 'next(g)', ['g', 'l']],
  ['one that a function uses', 'l = []; g = (l.append(k) for k in range(3))\ndef go(): next(g)', 'go()', ['g', 'l']],
  ['one under another name', 'l = []; g = (l.append(k) for k in range(3))', 'h = g\nnext(h)', ['g', 'h', 'l']],
  [
    'a generator that binds names',
    'n = 0\ndef count():\n  global n\n  n += 1\n  yield\ng = count()',
    'next(g)',
    ['g', 'n'],
  ],
  ['a generator that changes a class', 'class A: n = 0\ng = (setattr(A, "n", k) for k in [1])', 'next(g)', ['A', 'g']],
  [
    'a generator that ends',
    'l = []\ndef tell():\n  try: yield\n  finally: l.append(1)\ng = tell(); next(g)',
    'del g',
    ['g', 'l'],
  ],
  [
    'a generator that another value replaces',
    'l = []\ndef tell():\n  try: yield\n  finally: l.append(1)\ng = tell(); next(g)',
    'g = 1',
    ['l'],
  ],
  [
    'an object with a lock',
    'import threading\nl = [1]\nclass Own:\n  def __init__(self): self.lock = threading.Lock(); self.items = l\no = Own()',
    'o.items.append(2)',
    expect.arrayContaining(['l', 'o']),
  ],
  [
    'a thread',
    'import threading\nl = []\nt = threading.Thread(target=l.append, args=(1,))',
    't.start(); t.join()',
    ['l', 't'],
  ],
  [
    'a context manager',
    'import contextlib\nl = []\n@contextlib.contextmanager\ndef tell(): l.append(1); yield\nm = tell()',
    'with m: pass',
    expect.arrayContaining(['l', 'm']),
  ],
  [
    'an object of a class with the name of a harmless one',
    'import threading\nl = []\nclass lock:\n  def __init__(self): self.inner = threading.Lock(); self.l = l\no = lock()',
    'o.l.append(1)',
    expect.arrayContaining(['l', 'o']),
  ],
  ['a view of bytes', 'b = bytearray(b"ab"); v = memoryview(b)', 'v[0] = 1', ['b', 'v']],
])('a step that uses %s that was not saved loses what this can change', async (_title, before, later, lost) => {
  const { kernel, lost: seen } = await recoveredAfter(`${before}\nkept = 1\ndef stays(): return kept`, later);
  await using _kernel = kernel;
  expect(seen).toEqual(lost);
  expect((await kernel.run('stays()')).shown).toBe('1');
});

test.each([
  ['_.append(2)', ['items']],
  ['Out[2].append(2)', ['items']],
  ['_2.append(2)', ['items']],
  ['first = _', ['first', 'items']],
  ['_ = [3]\n_.append(2)', ['_']],
  ['for _ in range(3): pass', ['_']],
  ['_ = _ * 2', ['_', 'items']],
  ['class Own: v = _', ['Own', 'items']],
  ['doubled = [_ for _ in range(2)]', ['doubled']],
  ['Out.clear(); In.append("")', ['items']],
])('a step that ran %j loses %j: it used the value that an earlier step showed', async (later, lost) => {
  await using saved = await openKernel('python');
  for (const code of ['items = [1]; n = 1', 'items']) await saved.run(code);
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { archive, steps: [{ code: later }] });
  expect(report.lost.map(({ name }) => name).sort()).toEqual(lost);
  expect((await kernel.run('n')).shown).toBe('1');
});

test('a step that uses the value that an earlier step showed is not replayed', async () => {
  await using kernel = await openKernel('python');
  const steps = ['n = 1', 'for _ in range(3): n += _', 'm = _', 'k = 1'].map((code) => ({ code, replay: true }));
  const report = await recoverState(kernel.kernel, { steps: [...steps, { code: 'j = Out', replay: true }] });
  expect(report.replayed).toEqual(['_', 'k', 'm', 'n']);
  expect(report.stopped?.reason).toBe('the step uses Out, which is lost');
});

test('names that IPython gives each kernel are in no report', async () => {
  const { kernel, lost } = await recoveredAfter('x = 1', '!true\n%cd -q .', '!true\n_dh.append("/"); _exit_code');
  await using _kernel = kernel;
  expect(lost).toEqual(['(working directory)']);
});

test('a file that is open, and a name that gets a new value, lose nothing else', async () => {
  const before = 'import threading\nl = [1]; f = open("/dev/null"); lock = threading.Lock(); g = (k for k in l)';
  const later = ['f.read()', 'with open("/dev/null") as f: t = f.read()', 'with lock: n = 1'];
  const { kernel, lost } = await recoveredAfter(before, ...later);
  await using _kernel = kernel;
  expect(lost).toEqual(['f', 'g', 'lock', 'n', 't']);
});

test('a library wraps a function of a step, and the names that this one uses are lost', async () => {
  const before = 'import contextlib\nl = []\n@contextlib.contextmanager\ndef tell(): l.append(1); yield';
  const { kernel, lost } = await recoveredAfter(before, 'with tell(): pass');
  await using _kernel = kernel;
  expect(lost).toEqual(['l', 'tell']);
});
