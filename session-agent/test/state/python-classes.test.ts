import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoverState, saveState } from '../support/state.ts';

/** Runs the steps, saves, recovers in another kernel, and shows the value of `check` there. */
async function afterRecovery(steps: string[], check: string) {
  await using before = await openKernel('python');
  for (const code of steps) expect((await before.run(code)).error).toBeUndefined();
  const archive = await saveState(before.kernel);
  await using after = await openKernel('python');
  const { lost } = await recoverState(after.kernel, { archive });
  const { shown, error } = await after.run(check);
  return { lost, shown, error };
}

test.each([
  [
    '__init_subclass__, which notes its subclasses elsewhere',
    ['subs = []', 'class A:\n  def __init_subclass__(cls, **k): subs.append(cls.__name__)', 'class B(A): pass'],
    'class C(B): pass\nsubs',
    "['B', 'C']",
  ],
  [
    '__init_subclass__, which needs an argument',
    ['class A:\n  def __init_subclass__(cls, /, key): cls.key = key', "class B(A, key='k'): pass", 'b = B()'],
    'b.key',
    "'k'",
  ],
  [
    'the __new__ of a metaclass',
    [
      'made = []',
      'class M(type):\n  def __new__(m, name, *a): made.append(name); return super().__new__(m, name, *a)',
      'class A(metaclass=M): pass',
    ],
    "M('B', (A,), {})\n(made, type(A) is M)",
    "(['A', 'B'], True)",
  ],
  [
    'a metaclass that knows its classes itself',
    [
      'class M(type):\n  made = []\n  def __new__(m, *a):\n    M.made.append(a[0])\n    return super().__new__(m, *a)',
      'class A(metaclass=M): pass',
    ],
    '(M.made, type(A) is M)',
    "(['A'], True)",
  ],
  [
    'the __new__ of a class, which counts its objects',
    [
      'made = [0]',
      'class A:\n  def __new__(cls, *a): made[0] += 1; return super().__new__(cls)\n  def __init__(self, v): self.v = v',
      'a = A(3)',
    ],
    'b = A(4)\n(made, a.v, b.v)',
    '([2], 3, 4)',
  ],
  [
    'the __new__ of a number',
    ['class N(int):\n  def __new__(cls, v): return super().__new__(cls, v * 2)', 'n = N(4)'],
    '(n, type(n) is N, N(1))',
    '(8, True, 2)',
  ],
])('does not run again: %s', async (_, steps, check, shown) => {
  expect(await afterRecovery(steps, check)).toEqual({ lost: [], shown, error: undefined });
});

test.each([
  [
    'a NamedTuple with a method and a default',
    [
      'from typing import NamedTuple',
      "class P(NamedTuple):\n  a: int\n  b: str = 'z'\n  def twice(self): return self.a * 2",
      'p = P(1)',
    ],
    '(p, p.twice(), P(2, "y"), type(p) is P, P.__orig_bases__ == (NamedTuple,))',
    "(P(a=1, b='z'), 2, P(a=2, b='y'), True, True)",
  ],
  [
    'a class that extends a NamedTuple',
    [
      'from typing import NamedTuple',
      'class P(NamedTuple):\n  a: int',
      'class Q(P):\n  __slots__ = ()\n  def n(self): return self.a + 1',
      'q = Q(1)',
    ],
    '(q, q.n(), isinstance(q, P), hasattr(q, "__dict__"))',
    '(Q(a=1), 2, True, False)',
  ],
])('brings back %s', async (_, steps, check, shown) => {
  expect(await afterRecovery(steps, check)).toEqual({ lost: [], shown, error: undefined });
});
