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
  // A long value is shown in lines.
  return { lost, shown: String(shown).replaceAll(/\n */g, ' '), error };
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
  [
    'the methods of a dict, which change what they set',
    [
      'hits = []',
      'class D(dict):\n  def __setitem__(self, k, v): hits.append(k); super().__setitem__(k, v * 2)\n  def items(self): hits.append(0); return []',
      "d = D(); d['a'] = 1; d.tag = 't'",
    ],
    '(dict(d), hits, d.tag, type(d) is D)',
    "({'a': 2}, ['a'], 't', True)",
  ],
  [
    'the __init__ and the methods of other containers',
    [
      'import collections as c\nhits = []\ndef noted(kind, **methods):\n  def init(self, *a): hits.append(kind.__name__); kind.__init__(self, *a)\n  return init',
      'class L(list):\n  __init__ = noted(list)\n  def extend(self, v): raise ValueError\n  append = extend',
      'class S(set): __init__ = noted(set)',
      'class Q(c.deque): __init__ = noted(c.deque)',
      'class O(c.OrderedDict):\n  __init__ = noted(c.OrderedDict)',
      'class E(c.defaultdict): __init__ = noted(c.defaultdict)',
      'class N(c.Counter): __init__ = noted(c.Counter)',
      'class B(bytearray): __init__ = noted(bytearray)',
      "all_ = L([1, 2]), S([3]), Q([4, 5], 2), O(b=1, a=2) if False else O([('b', 1), ('a', 2)]), E(list), N('aab'), B(b'xy')",
      "all_[3].move_to_end('b'); all_[4]['k'].append(1); me = all_[1]; me.add(type('X', (), {})); before = len(hits)",
    ],
    "(len(hits) == before, list(all_[0]), len(all_[1]), all_[2], list(all_[3]), all_[4]['k'], all_[4]['new'], all_[5], bytes(all_[6]))",
    "(True, [1, 2], 2, Q([4, 5], maxlen=2), ['a', 'b'], [1], [], N({'a': 2, 'b': 1}), b'xy')",
  ],
  [
    'the __init__ of an error',
    [
      'hits = []',
      'class Bad(Exception):\n  def __init__(self, code): hits.append(code); super().__init__(f"code {code}"); self.code = code',
      'class Gone(OSError):\n  def __init__(self, path): hits.append(path); super().__init__(2, "gone", path)',
      'a = Bad(5); b = Gone("x")',
    ],
    '(str(a), a.args, a.code, b.errno, b.filename, str(b), hits)',
    `('code 5', ('code 5',), 5, 2, 'x', "[Errno 2] gone: 'x'", [5, 'x'])`,
  ],
  [
    'the __init__ and the __new__ of an enumeration',
    [
      'from enum import Enum\nhits = []',
      'class Base(Enum):\n  def __init__(self, mass, radius): hits.append(mass); self.mass = mass; self.parts = [radius]\n  @property\n  def double(self): return self.mass * 2',
      'class Planet(Base):\n  EARTH = (5.9, 6.3)\n  MARS = (6.4, 3.3)\n  HOME = (5.9, 6.3)',
      'class Token(Enum):\n  def __new__(cls, v, label):\n    hits.append(v); o = object.__new__(cls); o._value_ = v; o.label = label; return o\n  A = (1, "one")',
      'earth = Planet.EARTH; earth.next = Planet.MARS; alone = Token.A',
    ],
    "(earth.mass, earth.double, earth.parts, earth.next is Planet.MARS, Planet['HOME'] is earth, list(Planet.__members__), Token(1).label, alone is Token.A, hits)",
    "(5.9, 11.8, [6.3], True, True, ['EARTH', 'MARS', 'HOME'], 'one', True, [5.9, 6.4, 5.9, 1])",
  ],
])('does not run again: %s', async (_, steps, check, shown) => {
  expect(await afterRecovery(steps, check)).toEqual({ lost: [], shown, error: undefined });
});

test('loses an enumeration whose members are not made of their values', async () => {
  const make =
    'class C(str, Enum):\n  def __new__(cls, v, text): o = str.__new__(cls, text); o._value_ = v; return o\n  A = (1, "one")';
  const { lost, shown } = await afterRecovery(['from enum import Enum', make, 'n = 1'], 'n');
  expect({ lost: lost.map(({ name }) => name), shown }).toEqual({ lost: ['C'], shown: '1' });
});

test('a text that a library knows by its identity stays that text', async () => {
  const steps = ["import argparse\nparser = argparse.ArgumentParser(); _ = parser.add_argument('--x', type=int)"];
  const { shown } = await afterRecovery(steps, "parser.parse_args(['--x', '3'])");
  expect(shown).toBe('Namespace(x=3)');
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
  [
    'a class in another one, and one that a function has made, with the names that their values show',
    [
      'from dataclasses import dataclass',
      'class A:\n  @dataclass\n  class B: x: int',
      'def make():\n  class C: pass\n  return C',
      'b = A.B(1); C = make()',
    ],
    '(b, A.B.__qualname__, C.__qualname__)',
    "(A.B(x=1), 'A.B', 'make.<locals>.C')",
  ],
  [
    'the attributes of a class in their order',
    [
      'class A:\n  z = 1\n  def m(self): pass\n  a = 2',
      "class B:\n  __slots__ = ('s',)\n  z = 1\n  a = 2",
      'A.k = 3; b = B()',
    ],
    "[[k for k in vars(c) if not k.startswith('__')] for c in (A, B)]",
    "[['z', 'm', 'a', 'k'], ['s', 'z', 'a']]",
  ],
])('brings back %s', async (_, steps, check, shown) => {
  expect(await afterRecovery(steps, check)).toEqual({ lost: [], shown, error: undefined });
});
