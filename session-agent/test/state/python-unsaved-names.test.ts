import { expect, test } from 'vitest';
import { recoveredAfter } from '../support/recovered-after.ts';

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
