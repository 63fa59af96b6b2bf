import { mayWarn } from './python-output.ts';
import type { Behaviour } from './run-behaviours.ts';

const library = (name: string) => `library reference: ${name}`;

/** Definitions of steps, used by libraries that need their module or their source. */
export const definitions: Behaviour[] = [
  {
    name: 'inspect.getsource finds a function of an earlier step',
    source: library('inspect'),
    steps: [
      { code: 'def f(x):\n  # why\n  return x' },
      { code: 'import inspect; print(inspect.getsource(f), end="")', stdout: 'def f(x):\n  # why\n  return x\n' },
    ],
  },
  {
    name: 'inspect.getsource finds a class of an earlier step',
    source: 'Python 3.13; IPython',
    steps: [
      { code: 'class A:\n  def g(self):\n    return 1' },
      { code: 'import inspect; print(inspect.getsource(A.g), end="")', stdout: '  def g(self):\n    return 1\n' },
    ],
  },
  {
    name: 'a function that is defined anew has its new source',
    source: library('inspect'),
    steps: [
      { code: 'def f(): return 1' },
      { code: 'def f(): return 2' },
      { code: 'import inspect; inspect.getsource(f)', shown: "'def f(): return 2\\n'" },
    ],
  },
  {
    name: 'pickle handles instances of a step’s class',
    source: library('pickle'),
    steps: [
      { code: 'class P:\n  def __init__(self, x): self.x = x' },
      { code: 'import pickle; pickle.loads(pickle.dumps(P(3))).x', shown: '3' },
    ],
  },
  {
    name: 'pickle handles functions of a step by name',
    source: library('pickle'),
    steps: [
      { code: 'def f(): return 4' },
      { code: 'import pickle; pickle.loads(pickle.dumps(f)) is f', shown: 'True' },
    ],
  },
  {
    name: 'copy.deepcopy works on a step’s classes',
    source: library('copy'),
    steps: [
      {
        code: 'import copy\nclass A: pass\na = A(); a.l = [1]; b = copy.deepcopy(a); b.l is a.l, b.l',
        shown: '(False, [1])',
      },
    ],
  },
  {
    name: 'dataclasses work',
    source: library('dataclasses'),
    steps: [
      {
        code: 'from dataclasses import dataclass, field, asdict\n@dataclass(order=True)\nclass D:\n  a: int\n  b: list = field(default_factory=list)\nD(1) < D(2), asdict(D(1))',
        shown: "(True, {'a': 1, 'b': []})",
      },
    ],
  },
  {
    name: 'dataclasses work with annotations as strings',
    source: library('dataclasses'),
    steps: [
      {
        code: 'from __future__ import annotations\nfrom dataclasses import dataclass, fields\nfrom typing import ClassVar\n@dataclass\nclass D:\n  a: int\n  c: ClassVar[int] = 3\n[f.name for f in fields(D)]',
        shown: "['a']",
      },
    ],
  },
  {
    name: 'typing.get_type_hints finds names of steps',
    source: library('typing.get_type_hints'),
    steps: [
      { code: 'class A: pass\ndef f(x: "A") -> "list[B]": pass' },
      {
        code: 'class B: pass\nimport typing\nh = typing.get_type_hints(f)\nh["x"] is A, h["return"] == list[B]',
        shown: '(True, True)',
      },
    ],
  },
  {
    name: 'pickle handles named tuples and enumerations',
    source: library('pickle'),
    steps: [
      {
        code: 'import collections, enum, pickle\nT = collections.namedtuple("T", "a b")\nclass E(enum.Enum):\n  X = 1',
      },
      {
        code: 'pickle.loads(pickle.dumps(T(1, 2))), pickle.loads(pickle.dumps(E.X)) is E.X',
        shown: '(T(a=1, b=2), True)',
      },
    ],
  },
  {
    name: 'functools.singledispatch works on annotations of steps',
    source: library('functools'),
    steps: [
      {
        code: 'import functools\n@functools.singledispatch\ndef f(x): return "any"\n@f.register\ndef _i(x: int): return "int"\nf(1), f("a")',
        shown: "('int', 'any')",
      },
    ],
  },
  {
    name: 'abstract base classes cannot be instantiated',
    source: library('abc'),
    steps: [
      {
        code: 'import abc\nclass A(abc.ABC):\n  @abc.abstractmethod\n  def f(self): pass\nA()',
        error: { name: 'TypeError', message: /abstract/ },
      },
    ],
  },
  {
    name: 'metaclasses and descriptors work',
    source: 'Python language reference, 3.3.3',
    steps: [
      {
        code: 'class M(type):\n  def __new__(m, n, b, d): return super().__new__(m, n, b, {**d, "made": n})\nclass A(metaclass=M): pass\nA.made',
        shown: "'A'",
      },
    ],
  },
  {
    name: 'unittest finds tests of steps',
    source: library('unittest'),
    steps: [
      {
        code: 'import unittest, io\nclass T(unittest.TestCase):\n  def test_it(self): self.assertEqual(1, 1)\nr = unittest.main(argv=["x"], exit=False, testRunner=unittest.TextTestRunner(stream=io.StringIO())).result\nr.testsRun, r.wasSuccessful()',
        shown: '(1, True)',
      },
    ],
  },
  {
    name: 'doctest finds examples of steps',
    source: library('doctest'),
    steps: [
      { code: 'def f():\n  """\n  >>> f()\n  2\n  """\n  return 2' },
      { code: 'import doctest; doctest.testmod().attempted', shown: '1' },
    ],
  },
  {
    name: 'a forked process runs a function of a step',
    source: library('multiprocessing'),
    steps: [
      {
        code: 'import multiprocessing as mp\ndef work(q): q.put(6)\nc = mp.get_context("fork"); q = c.Queue(); p = c.Process(target=work, args=(q,)); p.start(); r = q.get(); p.join(); r, p.exitcode',
        shown: '(6, 0)',
      },
    ],
  },
  {
    name: 'a pool of forked processes maps a function of an earlier step',
    source: library('multiprocessing.pool'),
    steps: [
      { code: 'def square(x): return x * x' },
      {
        code: 'import multiprocessing as mp\nwith mp.get_context("fork").Pool(2) as pool: r = pool.map(square, range(4))\nr',
        shown: '[0, 1, 4, 9]',
      },
    ],
  },
  {
    name: 'an executor of forked processes maps a function of a step',
    source: library('concurrent.futures'),
    steps: [
      {
        code: 'import concurrent.futures as cf, multiprocessing as mp\ndef square(x): return x * x\nwith cf.ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as e: r = list(e.map(square, [2, 3]))\nr',
        shown: '[4, 9]',
      },
    ],
  },
  {
    name: 'an error in a forked process comes back with its class',
    source: library('multiprocessing.pool'),
    steps: [
      {
        code: 'import multiprocessing as mp\ndef bad(x): raise LookupError("in child")\nwith mp.get_context("fork").Pool(1) as pool: pool.map(bad, [1])',
        error: { name: 'LookupError', message: 'in child' },
      },
    ],
  },
  {
    name: 'a spawned process runs a function of a module',
    source: library('multiprocessing'),
    files: { 'work.py': 'def work(x): return x + 1\n' },
    steps: [
      {
        code: 'import multiprocessing as mp, work\nwith mp.get_context("spawn").Pool(1) as pool: r = pool.map(work.work, [1])\nr',
        shown: '[2]',
      },
    ],
  },
  {
    name: 'a spawned process cannot find a function of a step, as in Jupyter',
    source: 'library reference: multiprocessing, the child imports __main__',
    steps: [
      {
        code: 'import multiprocessing as mp\ndef f(): pass\np = mp.get_context("spawn").Process(target=f); p.start(); p.join(); p.exitcode',
        stderr: /Can't get attribute 'f'/,
        shown: '1',
      },
    ],
  },
  {
    name: 'a process of the fork server runs a builtin function',
    source: library('multiprocessing'),
    steps: [
      {
        code: 'import multiprocessing as mp\np = mp.get_context("forkserver").Process(target=print, args=("served",)); p.start(); p.join(); p.exitcode',
        stdout: 'served\n',
        shown: '0',
      },
    ],
  },
  {
    name: 'a forked child that goes on to the end of the step leaves the rest to its parent',
    source: 'fork(2)',
    steps: [
      {
        stderr: mayWarn,
        code: 'import os\npid = os.fork()\nif pid == 0: print("child")\nelse: os.waitpid(pid, 0); print("parent")\npid > 0',
        stdout: 'child\nparent\n',
        shown: 'True',
      },
    ],
  },
  {
    name: 'text that is buffered at a fork comes out once',
    source: 'languages/README.md: attribution of output',
    steps: [
      {
        stderr: mayWarn,
        code: 'import os\nprint("once", end=" ")\npid = os.fork()\nif pid == 0: os._exit(0)\n_s = os.waitpid(pid, 0); print("end")',
        stdout: 'once end\n',
      },
    ],
  },
  {
    name: 'threads share names with the step',
    source: library('threading'),
    steps: [
      {
        code: 'import threading\nl = []\nts = [threading.Thread(target=l.append, args=(i,)) for i in range(5)]\n[t.start() for t in ts]; [t.join() for t in ts]; sorted(l)',
        shown: '[0, 1, 2, 3, 4]',
      },
    ],
  },
  {
    name: 'a step can join a thread of an earlier step',
    source: library('threading'),
    steps: [
      {
        code: 'import threading\ne = threading.Event(); t = threading.Thread(target=e.wait); t.start(); t.is_alive()',
        shown: 'True',
      },
      { code: 'e.set(); t.join(); t.is_alive()', shown: 'False' },
    ],
  },
  {
    name: 'steps run in the main thread',
    source: library('threading'),
    steps: [{ code: 'import threading; threading.current_thread() is threading.main_thread()', shown: 'True' }],
  },
  {
    name: 'signal handlers of steps run',
    source: library('signal'),
    steps: [
      {
        code: 'import signal, os\n_h = signal.signal(signal.SIGUSR1, lambda *a: print("signal"))\nos.kill(os.getpid(), signal.SIGUSR1)',
        stdout: 'signal\n',
      },
    ],
  },
  {
    name: 'a timer’s exception interrupts a step',
    source: library('signal'),
    steps: [
      {
        code: 'import signal, time\ndef ring(*a): raise TimeoutError("rang")\n_h = signal.signal(signal.SIGALRM, ring); _t = signal.setitimer(signal.ITIMER_REAL, 0.02)\ntime.sleep(10)',
        error: { name: 'TimeoutError', message: 'rang' },
      },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'generators and iterators live from step to step',
    source: 'Python language reference, 6.2.9',
    steps: [
      { code: 'g = (i * i for i in range(3)); next(g)', shown: '0' },
      { code: 'list(g)', shown: '[1, 4]' },
    ],
  },
  {
    name: 'sqlite, json, re and decimal work',
    source: 'library reference',
    steps: [
      {
        code: 'import json, re, decimal\njson.loads("[1]"), re.findall("a+", "aab"), decimal.Decimal("0.1") * 3',
        shown: "([1], ['aa'], Decimal('0.3'))",
      },
    ],
  },
];
