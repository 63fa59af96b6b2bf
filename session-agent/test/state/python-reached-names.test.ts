import { expect, test } from 'vitest';
import { recoveredAfter } from '../support/recovered-after.ts';

const made = 'made = getattr(kind, "made", 0) + 1';
test.each([
  [
    `class Meta(type):\n  def __call__(kind): kind.${made}; return super().__call__()\nclass A(metaclass=Meta): pass\nclass B(A): pass`,
    'b = B()',
    ['A', 'B', 'Meta', 'b'],
  ],
  [
    `class A:\n  def __new__(kind): kind.${made}; return object.__new__(kind)\nclass B(A): pass`,
    'b = B()',
    ['A', 'B', 'b'],
  ],
  [`class A:\n  @classmethod\n  def make(kind): kind.${made}\nclass B(A): pass`, 'B.make()', ['A', 'B']],
  [`class A:\n  @classmethod\n  def make(kind): kind.${made}\nmake = A.make; l = [make]`, 'l[0]()', ['A', 'l', 'make']],
  [
    'log = []\nclass Meta(type):\n  def __getattr__(self, name): log.append(name); return 1\nclass A(metaclass=Meta): pass',
    'A.part',
    expect.arrayContaining(['log']),
  ],
  ['def f(): pass\ng = f; l = [f]', 'f.n = 5', ['f', 'g', 'l']],
  ['def f(): pass\nf.n = 1; l = [f]', 'f.n += 5', ['f', 'l']],
  ['def f(): pass\ndef go(): f.n = 5\nl = {"f": f}', 'go()', ['f', 'l']],
  ['l = []; add = l.append', 'add(2)', ['add', 'l']],
  ['class A: n = 0\nl = [A]; d = {"k": A}', 'l[0].n = 5', ['A', 'd', 'l']],
  ['class A: n = 0\na = A()', 'a.__class__.n = 5', ['A', 'a']],
  ['class A: n = 0\na = A()\ndef mark(k): type(k).n = 5', 'mark(a)', ['A', 'a']],
  ['import enum\nclass E(enum.Enum):\n  A = 1\ne = [E.A]', 'E.A.x = 5', ['E', 'e']],
  ['import weakref\nclass A: pass\na = A(); held = weakref.WeakSet([a])', 'for k in held: k.x = 1', ['a', 'held', 'k']],
  ['import contextlib\nlog = []\nst = contextlib.ExitStack(); st.callback(log.append, 1)', 'st.close()', ['log', 'st']],
  ['import math; math.held = [1]; l = math.held', 'math.held.append(2)', ['l', 'math.held']],
])('after %j, a step that ran %j loses %j', async (before, later, lost) => {
  const found = await recoveredAfter(before, later);
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(lost);
});

test.each([
  'import sys; sys.modules["__main__"].x = 2',
  'import importlib; importlib.import_module("__main__").x = 2',
  'from sys import modules as held; held["__ma" + "in__"].x = 2',
  'import sys; held = sys.modules; held["__ma" + "in__"].x = 2',
  'from builtins import exec as run; run("x = 2")',
  'import __main__ as held; held.x = 2',
  'f.__globals__["x"] = 2',
  'getattr(f, "__globals__")["x"] = 2',
  'import gc; gc.get_objects()',
  'object.__subclasses__()',
  'A.__mro__[0].n = 2',
  'import sys; sys._getframe().f_globals["x"] = 2',
])('everything is lost after %j', async (later) => {
  const found = await recoveredAfter('x = 1\nclass A: n = 1\ndef f(): return x', later);
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(expect.arrayContaining(['*', 'A', 'f', 'x']));
});

test('a function that reaches the context loses everything', async () => {
  const before = 'import sys\nx = 1\ndef f(): held = sys.modules; held["__ma" + "in__"].x = 2';
  const found = await recoveredAfter(before, 'f()');
  await using _kernel = found.kernel;
  expect(found.lost).toContain('*');
});

test('words that only look as if they reached the context lose nothing', async () => {
  const before = 'import re; x = [1]';
  const found = await recoveredAfter(before, 'p = re.compile("a")', 'if __name__ == "__main__": print(1)');
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(['p']);
});
