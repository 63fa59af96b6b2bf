import { createChoices } from './random-choices.ts';

/** A Python program as steps: counters, containers that share parts, functions, closures and classes, redefined, changed and deleted. */
export function pythonProgram(seed: number, length: number): string[] {
  const { below, one, any, made, some, number, steps } = createChoices(seed, { n: ['n0'], l: ['l0'], d: ['d0'] });
  const list = () => some('l');
  const dict = () => some('d');
  const plain = () => some('f', 'abs');
  const kind = () => one(['A', 'A', 'A', 'A', 'B', 'B', 'C', 'D']);
  const object = () => some('o', 'l0');
  const counters = [
    () => `${some('n')} += ${number()}`,
    () => `${made('n')} = ${number()} * 2 + ${number()}`,
    () => `${made('n')}, ${made('n')} = ${number()}, ${number()}`,
    () => `if ${number()} > 40:\n  ${some('n')} -= 1\nelse:\n  ${made('n')} = 'text' * 2`,
    () => `while n0 % 7:\n  n0 += 1\n  if ${number()} > 3: break`,
    () => `del ${one([any, some])('n')}`,
    () => `print(f'{${some('n')}}', (${made('n')} := ${number()}))`,
    () => `import math, json as j\n${made('n')} = math.floor(${number()})`,
    () => `from collections import deque, Counter, defaultdict as dd\nimport datetime, functools, re`,
  ];
  const containers = [
    () => `${made('l')} = [${number()}, ${number()}]`,
    () => `${made('l')} = ${list()}`,
    () => `${list()}.append(${number()})`,
    () => `${list()}[:1] = [${list()}[-1:]]`,
    () => `${list()}.append(${one([list, dict])()})`,
    () => `for k in range(3): ${list()}.append(k)`,
    () => `${made('l')} = [k for k in range(${below(5)})] + [${list()}]`,
    () => `${made('d')} = {'a': ${list()}, 'b': ${number()}}`,
    () => `${dict()}['a'] = ${one([list, dict, number])()}`,
    () => `${dict()}.setdefault('c', []).append(${number()})`,
    () => `${dict()}.pop('a', None)`,
    () => `${made('d')} = dict(${dict()}, e=(${list()}, ${number()}))`,
    () => `from collections import defaultdict\n${made('d')} = defaultdict(list, a=[${number()}])`,
    () => `import collections\n${made('v')} = collections.deque([${number()}, ${list()}], 3)`,
    () => `${made('v')} = (${number()}, ${list()}, ('x', ${number()}))`,
    () => `${made('v')} = {1, ${below(9)}, ${below(9)}}\n${made('v')} = frozenset('ab')`,
    () => `import datetime, re\n${made('v')} = [datetime.date(2020, 1, 1 + ${below(20)}), re.compile('a+'), b'x', 2j]`,
    () => `try:\n  ${list()}.remove(${number()})\nexcept ValueError as problem:\n  ${made('v')} = problem`,
    () => `del ${some(one(['l', 'd', 'v']), 'n0')}`,
    () => `print(${list()}, ${number()})`,
    () => `len(${list()}) + sum(range(3))`,
    () => `sorted(${dict()}, key=str)`,
  ];
  const functions = [
    () => `def ${made('f')}(k=0):\n  return k + ${some('n')} + len(${list()})`,
    () => `def ${made('f')}(k=0):\n  global ${some('n')}\n  ${list()}.append(k)\n  ${some('n')} = k\n  return k`,
    () => `def ${made('f')}(k=0):\n  return ${plain()}(k) + 1 if k < 3 else k`,
    () => `def ${made('f')}(k=0, held=[${below(5)}], *, of=${list()}):\n  held.append(k)\n  return len(held) + len(of)`,
    () => `def ${made('f')}(k=0):\n  'Doc.'\n  return ${any('f')}(k - 1) + ${any('f')}(k - 2) if k > 2 else k`,
    () => `${made('f')} = lambda k=0: [k, *${list()}][0]`,
    () => `${made('f')} = ${plain()}`,
    () => `try: ${plain()}.calls = ${list()}\nexcept AttributeError: pass`,
    () => `async def ${made('a')}(k):\n  return k + ${some('n')}\n${made('n')} = await ${some('a', 'None')}(1)`,
    () => `del ${some('f', 'n0')}`,
    () => `${made('n')} = ${plain()}(${below(3)})`,
    () => `${plain()}(${below(3)})`,
    () =>
      `import functools\ndef logged(f):\n  @functools.wraps(f)\n  def inner(k=0):\n    inner.calls += 1\n    return f(k)\n  inner.calls = 0\n  return inner\n@logged\ndef ${made('f')}(k): return k + ${below(9)}`,
    () => `import functools\n@functools.lru_cache(maxsize=4)\ndef ${made('f')}(k=0): return k * ${below(9)}`,
    () => `import functools\n${made('f')} = functools.partial(${plain()}, ${below(3)})`,
  ];
  const closures = [
    () =>
      `def make(c=${below(9)}):\n  def step(k=1):\n    nonlocal c\n    c += k\n    return c\n  return step\n${made('c')} = make()`,
    () =>
      `def make(c=${below(9)}):\n  held = [c]\n  def put(k=1):\n    nonlocal c\n    c += k; held.append(k)\n    return c\n  return put, lambda k=0: (c, held, ${list()})\n${made('c')}, ${made('c')} = make()`,
    () => `def make(c=0):\n  return [lambda k=0: (c, i) for i in range(2)][0]\n${made('c')} = make(${list()})`,
    () => `${made('c')} = make()`,
    () => `${some('c', 'print')}(${below(5)})`,
    () => `${list()}.append(${some('c', 'None')})`,
  ];
  const classes = [
    () =>
      `class A:\n  made = 0\n  def __init__(self): self.items = []; A.made += 1\n  def put(self, k): self.items.append(k); return self`,
    () =>
      `class A:\n  made = 10\n  def __init__(self): self.items = [${below(5)}]\n  def put(self, k): self.items.insert(0, k); return self\nclass B(A):\n  def put(self, k): return super().put(k + 1)`,
    () =>
      `class B(A):\n  tags = [${below(9)}]\n  @property\n  def size(self): return len(self.items)\n  @size.setter\n  def size(self, k): self.items = [0] * k`,
    () =>
      `class C(B):\n  made = ${below(9)}\n  @classmethod\n  def new(cls): cls.made += 1; return cls()\n  @staticmethod\n  def add(k): return k + ${some('n')}\n  def __eq__(self, other): return self is other\n  def __call__(self): return self.put(1)`,
    () =>
      `from dataclasses import dataclass, field\n@dataclass\nclass D:\n  k: int = ${below(9)}\n  items: list = field(default_factory=list)\n  def put(self, k): self.items.append(k); return self`,
    () =>
      `class D:\n  __slots__ = ('k', 'items')\n  def __init__(self): self.items = [${list()}]\n  def put(self, k): self.k = k; return self`,
    () => `import enum\nclass E(enum.Enum):\n  ONE = ${below(9)}\n  TWO = 'two'\n${made('v')} = E.ONE`,
    () => `class Mine(Exception):\n  code = ${below(9)}\n${made('v')} = Mine('no', ${list()})`,
    () => `${made('o')} = ${kind()}().put(${number()})`,
    () => `${made('o')} = ${object()}\n${list()}.append(${object()})`,
    () => `${made('o')} = C.new()\n${made('n')} = C.made`,
    () => `${object()}.put(${number()})`,
    () => `${object()}.next = ${object()}\n${object()}.own = ${list()}`,
    () => `${object()}.size = 2`,
    () => `${made('m')} = ${object()}.put\n${some('m')}(${number()})`,
    () => `${kind()}.made = ${number()}`,
    () => `${kind()}.extra = lambda self, k=${number()}: k`,
    () => `del ${one([kind, object])()}`,
  ];
  const endings = [
    () => `raise ValueError('no')`,
    () => `${some('n')} += 1\n${list()}.append(2)\nmissing()\n${made('n')} = 5`,
    () => `def ${made('f')}(k=0): return k\n1 / 0\ndef ${made('f')}(k=0): return -k`,
  ];
  const rare = [
    () => `exec('${some('n')} = ${below(9)}')`,
    () => `globals()['${some('n')}'] = ${below(9)}`,
    () => `${made('g')} = (k for k in ${list()}); next(${some('g')}, 0)`,
    () => `import threading\n${made('v')} = threading.Lock()`,
  ];
  const shapes = [counters, counters, containers, containers, functions, closures, classes, classes, endings];
  return steps(
    'n0 = 1; l0 = [1]; d0 = {"a": l0}\nclass A:\n  def put(self, k): self.items = [k]; return self\nclass B(A): pass',
    length,
    shapes
      .slice(0, -1)
      .map((group) => () => one(group)())
      .concat(() => (below(4) === 0 ? one(endings)() : one(containers)())),
    rare,
  );
}
