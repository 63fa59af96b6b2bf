import { beforeAll, expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoverState, saveState } from '../support/state.ts';

const before = `import functools, contextlib, abc, typing, enum, dataclasses, time, uuid, os, random, json, math, datetime, collections, re, pathlib, operator
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict, Generic, Protocol, TypeVar, Optional, Any
from abc import ABC, abstractmethod
from enum import Enum, auto
T = TypeVar('T')
n = 1; items = [1]; s = {'a','b'}; dd = collections.defaultdict(list)
class Plain: pass
class Hooked:
  def __init_subclass__(cls): items.append(1)
class Meta(type):
  def __new__(m, *a): items.append(2); return super().__new__(m, *a)
class WithMeta(metaclass=Meta): pass
class Desc:
  def __set_name__(self, o, n): items.append(3)
class Sub:
  def __class_getitem__(c, k): items.append(4); return c
desc = Desc()
class Color(Enum):
  RED = 1
def pure(f):
  @functools.wraps(f)
  def inner(*a): return f(*a)
  inner.calls = 0
  return inner
def tag(f):
  f.tag = 1
  return f
def effect(f):
  items.append(5); return f
def effect2(f):
  open('/dev/null', 'a').write('x'); return f
def factory(k):
  def deco(f): return f
  return deco
def calls_it(f):
  f(); return f
it = iter([1,2,3])
items.clear(); items.append(7)`;

let archive: Buffer;
beforeAll(async () => {
  await using saved = await openKernel('python');
  expect((await saved.run(before)).error).toBeUndefined();
  archive = await saveState(saved.kernel);
});

/** Whether a step with this definition runs again after the snapshot. */
async function runsAgain(code: string) {
  await using kernel = await openKernel('python');
  const { replayed } = await recoverState(kernel.kernel, { archive, steps: [{ code }] });
  return replayed.includes('C') || replayed.includes('f');
}

test.each([
  'def f(a, b=1, *c, d="x", **e): pass',
  'def f(a: int = n, b: Optional[str] = None) -> dict[str, Any]: pass',
  'def f(x=items): pass',
  'def f(x=len(items)): pass',
  'def f(k=lambda a, b=2: a): pass',
  '@functools.lru_cache(maxsize=None)\ndef f(): pass',
  '@functools.cache\ndef f(): pass',
  '@pure\ndef f(): pass',
  '@tag\n@pure\ndef f(): pass',
  '@tag\nclass C: pass',
  '@contextlib.contextmanager\ndef f(): yield',
  'class C(Plain):\n  "doc"\n  a = 1\n  b = a + 1\n  c: list = []\n  d: int\n  e = {"k": (1, 2)}\n  def f(self): return 1\n  @property\n  def g(self): return 1\n  @g.setter\n  def g(self, k): pass\n  @staticmethod\n  def h(): pass\n  @classmethod\n  def i(cls): pass\n  j = property(f)\n  class In(Plain): pass',
  '@dataclass\nclass C:\n  a: int\n  b: list = field(default_factory=list)\n  c: dict = dataclasses.field(default_factory=lambda: {})',
  '@dataclass(frozen=True)\nclass C:\n  a: int = 1',
  'class C(NamedTuple):\n  a: int\n  b: str = "x"',
  'class C(TypedDict, total=False):\n  a: int',
  'class C(Generic[T]):\n  def f(self) -> T: pass',
  'class C(Protocol):\n  def f(self) -> int: ...',
  'class C(ABC):\n  @abstractmethod\n  def f(self): pass',
  'class C(Enum):\n  A = 1\n  B = auto()',
  'class C(str, Enum):\n  A = "a"',
  'class C(enum.IntFlag):\n  X = enum.auto()',
  'class C(Exception):\n  code = 3',
  'class C(metaclass=abc.ABCMeta): pass',
  'class C:\n  r = re.compile("a+")\n  p = pathlib.Path("x") \n  t = datetime.timedelta(days=1)\n  k = Color.RED\n  m = math.pi * 2\n  tags = {"a", "b"}\n  g = operator.itemgetter(1)\n  __slots__ = ("a", "b")'.replace(
    '\n  __slots__ = ("a", "b")',
    '',
  ),
  '@functools.total_ordering\nclass C:\n  def __lt__(s, o): return True',
  'async def f(x: "T" = None): pass',
  'class C(json.JSONEncoder):\n  def default(self, o): return 1',
  'class C(dict):\n  __getattr__ = dict.__getitem__',
  'class C:\n  x = "a b".split()\n  y = sorted({"a","b"})\n  z = [1] * 3',
  'def f(x: int | None = None, y: "list[int]" = ()): pass',
  'class C(Plain):\n  def __init_subclass__(cls): pass',
  'def f(x=Color.RED, y=datetime.date(2020, 1, 1)): pass',
  'class C(collections.OrderedDict): pass',
  'class C(collections.abc.Mapping): pass',
  'def f(x=print, y=max): pass',
  'def f(x=os.sep, y=os.path.join): pass',
])('%j runs again', async (code) => {
  expect(await runsAgain(code)).toBe(true);
});

test.each([
  'def f(x=open("/dev/null", "a").write("h")): pass',
  'def f(x=time.time_ns()): pass',
  'class C: run = uuid.uuid4().hex',
  'class C: run = random.random()',
  'class C: run = os.urandom(4).hex()',
  '@effect\ndef f(): pass',
  '@effect2\ndef f(): pass',
  '@calls_it\ndef f(): pass',
  'class C:\n  items.append(1)',
  'class C:\n  for k in range(3): pass',
  'class C(Hooked): pass',
  'class C(WithMeta): pass',
  'class C(metaclass=Meta): pass',
  'class C: d = Desc()',
  'class C: d = desc',
  'def f(x: Sub[int]): pass',
  'def f(x: items.append(1)): pass',
  'def f() -> items.append(1): pass',
  'def f(x=dd["q"]): pass',
  'def f(x=next(it)): pass',
  'def f(x=list(it)): pass',
  'class C: o = list({"a","b"})',
  'class C: o = [*s]',
  'class C: o = id(items)',
  'class C: o = hash("a")',
  'class C: o = str(s)',
  'class C: o = ",".join(s)',
  'class C(items.append(1) or Plain): pass',
  'def f(k=lambda a=items.append(1): a): pass',
  'def f(*, k=items.append(1)): pass',
  'class C:\n  class D(Hooked): pass',
  'class C:\n  @effect\n  def f(self): pass',
  'class C:\n  if items.append(1): pass',
  'class C:\n  x: items.append(1) = 1',
  'class C:\n  def f(): items.append(1)\n  f()',
  'class C:\n  def f(self): return time.time()\n  x = f(1)',
  'class C:\n  def k(a): items.append(a); return a\n  x = sorted([1], key=k)',
  'class C:\n  x = datetime.datetime.now()',
  'def f(x=datetime.date.today()): pass',
  'class C: x = os.environ.get("HOME")',
  'class C: x = os.getpid()',
  'class C: x = max([items], key=list.pop)',
  'class C: x = sorted([[2], [1]], key=items.append)',
  'class C: x = f"{s}"',
  'class C: x = "%s" % s',
  'class C: x = f"{object()}"',
  'class C: x = repr(Plain)',
  'class C: x = str(object())',
  'class C:\n  x = 1\n  del x',
  'class C: x = open("/dev/null").read()',
  '@functools.wraps(items.append(1))\ndef f(): pass',
  '@dataclass\nclass C(Hooked): pass',
  'class A:\n  def __init_subclass__(c): items.append(9)\n  class B: pass\nclass C(A): pass',
  'class C: x = max({"a","b"}, key=len)',
  'class C: x, *y = {"a","b"}',
  'class C: x = (lambda: items.append(1))()',
  'class C: x = [k for k in s]',
  'class C:\n  a = {"x","y"}\n  b = list(a)',
  'class C:\n  a = {"x","y"}\n  b = [*a]',
  'class C:\n  a = {"x","y"}\n  b = f"{a}"',
  'class C:\n  a = frozenset("xy")\n  b = str(a)',
  'class C: x = f"{pure}"',
  'class C: x = {"a","b"} and str({"a","b"})',
  'class C: x = "{}".format({"a","b"})',
  'class C: x = str(list(map(str, s)))',
])('%j does not run again, because its effects could be repeated or its value differ', async (code) => {
  expect(await runsAgain(code)).toBe(false);
});
