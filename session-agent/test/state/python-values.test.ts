import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, manifestOf, recoverState, saveState } from '../support/state.ts';

/** Runs the steps, saves, and recovers in another kernel. */
async function recovered(codes: string[], later: LaterStep[] = []) {
  await using before = await openKernel('python');
  for (const code of codes) {
    const { error } = await before.run(code);
    if (error) throw new Error(`${error.name}: ${error.message}`);
  }
  const archive = await saveState(before.kernel);
  const after = await openKernel('python');
  return { after, archive, report: await recoverState(after.kernel, { archive, steps: later }) };
}

const show = async (kernel: Awaited<ReturnType<typeof openKernel>>, code: string) => {
  const { shown, error } = await kernel.run(code);
  return error ? `${error.name}: ${error.message}` : shown;
};

test('loses functions and no imports if cloudpickle is not installed', async () => {
  const codes = ["import sys; sys.modules['cloudpickle'] = None", 'import json as j, os.path\ndef f(): pass'];
  const { after, report } = await recovered(codes);
  await using _ = after;
  expect(report.restored.toSorted()).toEqual(['j', 'os', 'sys']);
  expect(report.lost).toEqual([{ name: 'f', reason: expect.stringContaining('cloudpickle is not installed') }]);
  expect(await show(after, 'j.dumps([os.sep])')).toBe(`'["/"]'`);
});

test.each([
  [
    'views of a dictionary',
    [
      'import collections, types\nd = {1: 2}; views = [d.keys(), d.values(), d.items(), types.MappingProxyType(d)]',
      'o = collections.OrderedDict(d); of_o = o.keys()',
    ],
    'd.update({3: 4}); o.clear(); (*map(list, views), list(of_o))',
    '([1, 3], [2, 4], [(1, 2), (3, 4)], [1, 3], [])',
  ],
  [
    'texts and bytes in memory, at their places',
    ['import io; s = io.StringIO("ab"); _ = s.seek(1); b = io.BytesIO(b"abc"); _ = b.read(2)'],
    's.read(), b.read()',
    "('b', b'c')",
  ],
  [
    'a cached property',
    ['import functools\nclass A:\n  @functools.cached_property\n  def v(self): return [3]', 'a = A(); a.v.append(4)'],
    'a.v, A().v',
    '([3, 4], [3])',
  ],
  [
    'a function of many types',
    ['import functools\n@functools.singledispatch\ndef f(x): return 0', '@f.register\ndef _f(x: int): return 1\nf(1)'],
    'f(1), f("")',
    '(1, 0)',
  ],
  [
    'weak collections',
    ['import weakref\nclass A: pass\na = A(); w = weakref.WeakKeyDictionary({a: 1}); s = weakref.WeakSet([a, A()])'],
    'w[a], list(s) == [a]',
    '(1, True)',
  ],
  [
    'the modules in a package',
    ['import concurrent.futures, xml.dom.minidom'],
    'concurrent.futures.Future.__name__, xml.dom.minidom.Node.__name__',
    "('Future', 'Node')",
  ],
  [
    'attributes of objects that are containers',
    [
      'import collections\nclass C(collections.Counter): pass\nclass D(collections.defaultdict): pass',
      'c = C("aab"); c.tag = 1; d = D(list); d["k"].append(1); d.tag = 2',
    ],
    'c, c.tag, d, d.tag, d["new"]',
    "(C({'a': 2, 'b': 1}), 1, D(list, {'k': [1], 'new': []}), 2, [])",
  ],
  ['a new type', ['from typing import NewType\nN = NewType("N", int); n = N(3)'], 'n, N.__name__, N(4)', "(3, 'N', 4)"],
  ['a number', ['x = 41'], 'x + 1', '42'],
  ['a container', ["x = {'a': [1, {2, 3}], 'b': (None, 1.5)}"], 'x', "{'a': [1, {2, 3}], 'b': (None, 1.5)}"],
  [
    'an import under another name',
    ['import collections.abc as c, json', 'from math import pi as p'],
    '(c.Sized.__name__, json.dumps([1]), round(p, 2))',
    "('Sized', '[1]', 3.14)",
  ],
  [
    'a class with slots, and one that extends it',
    [
      'class P:\n  __slots__ = ("x", "__y")\n  def __init__(self): self.x, self.__y = 1, 2',
      'class Q(P): pass',
      'p, q = P(), Q()',
    ],
    '(p.x, p._P__y, hasattr(p, "__dict__"), hasattr(P(), "__dict__"), hasattr(q, "__dict__"))',
    '(1, 2, False, False, True)',
  ],
  [
    'a class that repeats the attribute of one that it extends',
    ['class A: size = 2', 'class B(A): size = 2', 'A.size = 3'],
    'A.size = 4; (B.size, "size" in vars(B))',
    '(2, True)',
  ],
  [
    'a class that has the same value as one that it extends',
    ['class A: size = 2', 'class B(A): size = A.size'],
    'A.size = 4; B.size',
    '2',
  ],
  ['a function that reads a global', ['n = 1', 'def f(): return n'], 'n = 5; f()', '5'],
  ['a function that changes a global', ['n = 1', 'def f():\n  global n\n  n += 1'], 'f(); n', '2'],
  [
    'functions that call one another',
    ['def f(k): return 0 if k == 0 else g(k - 1)', 'def g(k): return 1 + f(k)'],
    'f(4)',
    '4',
  ],
  [
    'a closure with its variable',
    [
      'def make():\n  n = 0\n  def inc():\n    nonlocal n\n    n += 1\n    return n\n  return inc',
      'inc = make(); inc()',
    ],
    'inc()',
    '2',
  ],
  [
    'two closures that share a variable',
    [
      'def make():\n  n = 0\n  def inc():\n    nonlocal n\n    n += 1\n  def get(): return n\n  return inc, get',
      'inc, get = make()',
    ],
    'inc(); get()',
    '1',
  ],
  [
    'a decorated function',
    [
      'import functools',
      'def twice(f):\n  @functools.wraps(f)\n  def run(*a): return 2 * f(*a)\n  return run',
      '@twice\ndef f(k): return k',
    ],
    'f(4)',
    '8',
  ],
  ['a cached function', ['import functools', '@functools.lru_cache\ndef f(k): return k + 1', 'f(1)'], 'f(2)', '3'],
  [
    'a class with an instance',
    ['class A:\n  n = 1\n  def get(self): return self.k + self.n', 'a = A(); a.k = 2'],
    '(a.get(), isinstance(a, A), type(a) is A)',
    '(3, True, True)',
  ],
  ['a class attribute that code changed', ['class A: n = 1', 'A.n = 7; a = A()'], '(A.n, a.n)', '(7, 7)'],
  [
    'inheritance',
    ['class A:\n  def f(self): return 1', 'class B(A):\n  def f(self): return super().f() + 1', 'b = B()'],
    '(b.f(), issubclass(B, A))',
    '(2, True)',
  ],
  [
    'a dataclass',
    [
      'from dataclasses import dataclass, field',
      '@dataclass(order=True)\nclass P:\n  x: int\n  y: list = field(default_factory=list)',
      'p = P(1)',
    ],
    '(p, p < P(2))',
    '(P(x=1, y=[]), True)',
  ],
  [
    'an enum',
    ['import enum', 'class E(enum.Enum):\n  A = 1\n  B = 2', 'e = E.B'],
    '(e is E.B, E(1))',
    '(True, <E.A: 1>)',
  ],
  [
    'a namedtuple',
    ['from collections import namedtuple', "P = namedtuple('P', 'x y')", 'p = P(1, 2)'],
    '(p, p._replace(x=3), type(p) is P)',
    '(P(x=1, y=2), P(x=3, y=2), True)',
  ],
  ['a shared reference', ['a = []', "b = {'a': a}"], "a.append(1); (b['a'] is a, b)", "(True, {'a': [1]})"],
  ['a cycle', ['a = []; a.append(a)'], 'a[0] is a', 'True'],
  [
    'a cycle through an object',
    ['class N: pass', 'n = N(); m = N(); n.m = m; m.n = n'],
    'n.m is m and m.n is n',
    'True',
  ],
  [
    'a property and a static method',
    [
      'class A:\n  @property\n  def p(self): return 1\n  @staticmethod\n  def s(): return 2\n  @classmethod\n  def c(cls): return cls.__name__',
      'a = A()',
    ],
    '(a.p, A.s(), A.c())',
    "(1, 2, 'A')",
  ],
  ['slots', ["class A:\n  __slots__ = ('k',)", 'a = A(); a.k = 3'], 'a.k', '3'],
  [
    'an instance of an abstract class',
    [
      'import abc',
      'class A(abc.ABC):\n  @abc.abstractmethod\n  def f(self): ...',
      'class B(A):\n  def f(self): return 1',
      'b = B()',
    ],
    '(b.f(), isinstance(b, A))',
    '(1, True)',
  ],
  [
    'random numbers',
    ['import random; random.seed(1)', 'random.random(); import copy; r = random.getstate()'],
    'random.getstate() == r',
    'True',
  ],
  [
    'names of what holds the surroundings',
    ['import os, random, sys; env = os.environ; path = sys.path; draw = random.random'],
    'draw.__self__ is random._inst and env is os.environ and path is sys.path',
    'True',
  ],
  [
    'the working directory and the environment',
    ["import os; os.makedirs('/tmp/state-wd', exist_ok=True); os.chdir('/tmp/state-wd'); os.environ['K'] = 'v'"],
    "(os.getcwd(), os.environ['K'])",
    "('/tmp/state-wd', 'v')",
  ],
  [
    'an error with its cause and its context',
    [
      'try: 1 / 0\nexcept ZeroDivisionError as e: a = e',
      "class E(Exception): pass\ntry: raise E('b', 2) from a\nexcept E as e: b = e; b.more = [a]",
      "try:\n  try: {}[1]\n  except KeyError: raise OSError(2, 'no')\nexcept OSError as e: c = e",
    ],
    '(b.__cause__ is a, b.args, b.more[0] is a, b.__suppress_context__, repr(c.__context__), c.errno, c.__suppress_context__)',
    "(True, ('b', 2), True, True, 'KeyError(1)', 2, False)",
  ],
  [
    'the time zone',
    ["import os, time; os.environ['TZ'] = 'Asia/Tokyo'; time.tzset()"],
    'time.localtime(0).tm_hour',
    '9',
  ],
  [
    'an error with the places where it was raised',
    [
      'import traceback\ndef deep(n):\n  return {}[n] if n == 0 else deep(n - 1)',
      'try:\n  deep(1)\nexcept KeyError as e:\n  err = e',
      "text = ''.join(traceback.format_exception(type(err), err, err.__traceback__))",
    ],
    "(''.join(traceback.format_exception(type(err), err, err.__traceback__)).replace(', kernel 1', '') == text, text.count('File'))",
    '(True, 3)',
  ],
  [
    'values that are not a number, which containers find by their identity',
    ["import math; n = float('nan')", "l = [math.nan, n, n, float('nan')]; d = {n: 1}"],
    '(l.index(math.nan), l.index(n), l[1] is l[2], l[2] is l[3], d[n], l == l[:])',
    '(0, 1, True, False, 1, True)',
  ],
  [
    'the order of the import path',
    ["import sys; sys.path.insert(0, '/first'); sys.path.append('/last')", 'n = len(sys.path)'],
    '(sys.path[0], sys.path[-1], len(sys.path) == n)',
    "('/first', '/last', True)",
  ],
  [
    'the mask of new files and the limit of recursion',
    ['import os, sys', '_ = os.umask(0o027); sys.setrecursionlimit(4321)'],
    '(oct(os.umask(0)), sys.getrecursionlimit())',
    "('0o27', 4321)",
  ],
])('brings back %s', async (_, steps, check, shown) => {
  const { after, report } = await recovered(steps);
  await using _after = after;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect(await show(after, check)).toBe(shown);
});

test('a value that cannot be saved loses only itself, and the reason names its type', async () => {
  const steps = [
    'import socket, threading',
    's = socket.socket(); g = (i for i in [1]); held = [s]; ok = [1]',
    'lock = threading.Lock(); f = open("/etc/hostname"); m = memoryview(b"ab")',
    'import weakref\nclass A: pass\na = A(); p = weakref.proxy(a); end = weakref.finalize(a, print)',
  ];
  const { after, report, archive } = await recovered(steps);
  await using _after = after;
  const lost = Object.fromEntries(report.lost.map(({ name, reason }) => [name, reason]));
  expect(Object.keys(lost).sort()).toEqual(['end', 'f', 'g', 'held', 'lock', 'm', 'p', 's']);
  expect(lost.g).toBe('a value of type generator cannot be saved');
  expect(lost.held).toContain('it contains a value of type socket');
  expect(report.restored.sort()).toEqual(['A', 'a', 'ok', 'socket', 'threading', 'weakref']);
  expect(manifestOf(archive).saved).toContainEqual({ name: 'ok', kind: 'variable' });
  expect(await show(after, 's')).toContain('NameError');
});

test.each([
  ['outside the workspace is reported', '/var/tmp/state-gone', ['(working directory)']],
  ['in the workspace is made again', 'state-gone', []],
])('a working directory that is gone and was %s', async (_, folder, lost) => {
  await using before = await openKernel('python');
  await before.run(`import os; os.makedirs('${folder}', exist_ok=True); os.chdir('${folder}')`);
  const archive = await saveState(before.kernel);
  const { shown } = await before.run('gone = os.getcwd(); os.rmdir(gone); os.path.exists(gone)');
  expect(shown).toBe('False');
  await using after = await openKernel('python');
  const report = await recoverState(after.kernel, { archive });
  expect(report.lost.map(({ name }) => name)).toEqual(lost);
  const end = lost.length === 0;
  expect(await show(after, "d = os.getcwd(); d.endswith('/state-gone')")).toBe(end ? 'True' : 'False');
});

test('the context goes on while its snapshot is written, and keeps its state', async () => {
  await using kernel = await openKernel('python');
  await kernel.run(
    'import time\nclass Slow:\n  def __reduce__(self): time.sleep(1); print("pickled"); return (int, (1,))\nx = [Slow()]; n = 1',
  );
  const answered = Promise.withResolvers<void>();
  const saving = saveState(kernel.kernel, { onAnswered: answered.resolve });
  await answered.promise;
  const { ms, stdout } = await kernel.run('n += 1; print(n)');
  expect([ms < 900, stdout]).toEqual([true, '2\n']);
  const archive = await saving;
  await using after = await openKernel('python');
  await recoverState(after.kernel, { archive });
  expect(await show(after, 'n')).toBe('1');
  expect(kernel.background()).toBe('');
});

test.each([
  ['cut off', (archive: Buffer) => archive.subarray(0, archive.length - 20)],
  ['damaged', (archive: Buffer) => Buffer.concat([Buffer.from('rubbish'), archive.subarray(7)])],
  ['empty', () => Buffer.alloc(0)],
])('an archive that is %s is reported, and the kernel goes on', async (_, change) => {
  await using before = await openKernel('python');
  await before.run('x = 1');
  const archive = change(await saveState(before.kernel));
  await using after = await openKernel('python');
  const report = await recoverState(after.kernel, { archive });
  expect(report.restored).toEqual([]);
  expect(report.lost[0]?.reason).toContain('the snapshot cannot be read');
  expect(await show(after, '1 + 1')).toBe('2');
});

test('the source of a function stays also if cloudpickle leaves out the name of its file', async () => {
  const without =
    "lambda code: (own(code)[0], tuple('<dynamic-code>' if part == code.co_filename else part for part in own(code)[1]))";
  const { after } = await recovered([
    'import types, cloudpickle\ntable = cloudpickle.CloudPickler.dispatch_table; own = table[types.CodeType]',
    `table[types.CodeType] = ${without}; del table`,
    'def f(): raise KeyError(1)',
  ]);
  await using _after = after;
  expect(await show(after, 'import inspect; inspect.getsource(f)')).toBe("'def f(): raise KeyError(1)\\n'");
});

test('the source of a function stays also when its state is saved a second time', async () => {
  const { after: once } = await recovered(['def f(): raise KeyError(1)']);
  await using _once = once;
  const archive = await saveState(once.kernel);
  await using twice = await openKernel('python');
  await recoverState(twice.kernel, { archive });
  expect(await show(twice, 'import inspect; inspect.getsource(f)')).toBe("'def f(): raise KeyError(1)\\n'");
});
