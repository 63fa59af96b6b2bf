import type { Behaviour } from './run-behaviours.ts';

const repl = 'IPython: the last expression is displayed (interactivity "last_expr")';
const reference = (section: string) => `Python language reference, ${section}`;

/** The value that a step shows, and the state that stays for the next step. */
export const values: Behaviour[] = [
  { name: 'the value of the last expression is shown', source: repl, steps: [{ code: '1\n2 + 3', shown: '5' }] },
  { name: 'an expression before the last is not shown', source: repl, steps: [{ code: '7\nx = 1' }] },
  { name: 'None is not shown', source: 'sys.displayhook', steps: [{ code: 'None' }, { code: '[].append(1)' }] },
  { name: 'an assignment shows nothing', source: repl, steps: [{ code: 'x = 5' }, { code: 'x', shown: '5' }] },
  {
    name: 'a semicolon after the last expression silences it',
    source: 'IPython: DisplayHook.quiet',
    steps: [{ code: '5;' }, { code: '5 ;  # why' }, { code: '(5);' }, { code: '(\n5\n) ;' }],
  },
  {
    name: 'a semicolon in a string or a comment does not silence the value',
    source: 'IPython: DisplayHook.quiet looks at tokens',
    steps: [
      { code: '"a;"', shown: "'a;'" },
      { code: '5  # a;', shown: '5' },
    ],
  },
  {
    name: 'a semicolon silences the value behind characters that only str.splitlines splits at',
    source: reference('2.1.2 Physical lines'),
    steps: [{ code: 's = "a\u2028b\x0cc"\n5;' }, { code: 's = "a\u2028b"\n5', shown: '5' }],
  },
  {
    name: 'an empty step succeeds',
    source: reference('9.2 File input'),
    steps: [{ code: '' }, { code: '# nothing\n' }],
  },
  { name: 'lines may end with CR LF', source: reference('2.1.2'), steps: [{ code: 'x = 1\r\nx + 1\r\n', shown: '2' }] },
  { name: 'a step may end without a line end', source: reference('9.2'), steps: [{ code: 'if True:\n  x = 1' }] },
  {
    name: 'tabs and form feeds count as indentation',
    source: reference('2.1.8'),
    steps: [{ code: '\x0cif True:\n\tx = 2\nx', shown: '2' }],
  },
  {
    name: 'the last statement of a block is not shown',
    source: repl,
    steps: [{ code: 'if True:\n  5' }, { code: 'for i in range(2): i' }, { code: 'with open("/dev/null"): 1' }],
  },
  {
    name: 'names stay from step to step',
    source: repl,
    steps: [{ code: 'a, *b = range(4)' }, { code: 'a, b', shown: '(0, [1, 2, 3])' }],
  },
  {
    name: 'a deleted name is gone',
    source: reference('7.5'),
    steps: [{ code: 'x = 1' }, { code: 'del x\nx', error: { name: 'NameError', message: /'x'/ } }],
  },
  {
    name: 'names that a failed step bound before its error stay',
    source: repl,
    steps: [
      { code: 'x = 3\n1/0', error: { name: 'ZeroDivisionError' } },
      { code: 'x', shown: '3' },
    ],
  },
  {
    name: 'a function sees names that later steps bind',
    source: reference('4.2.2'),
    steps: [{ code: 'def f(): return later' }, { code: 'later = 9' }, { code: 'f()', shown: '9' }],
  },
  {
    name: 'comprehensions and lambdas see the names of steps',
    source: reference('4.2.2'),
    steps: [{ code: 'n = 3' }, { code: '[n * i for i in range(n)], (lambda: n)()', shown: '([0, 3, 6], 3)' }],
  },
  {
    name: 'the walrus binds for later steps',
    source: reference('6.12'),
    steps: [
      { code: '(y := 6) + 1', shown: '7' },
      { code: 'y', shown: '6' },
    ],
  },
  {
    name: 'a class statement can use names of its own module',
    source: reference('8.8'),
    steps: [
      { code: 'class A: pass\nclass B(A):\n  def f(self): return super().__init__() or B' },
      { code: 'B().f() is B', shown: 'True' },
    ],
  },
  {
    name: 'global names the steps’ namespace',
    source: reference('7.12'),
    steps: [{ code: 'def f():\n  global g\n  g = 8\nf()' }, { code: 'g', shown: '8' }],
  },
  {
    name: 'globals() and locals() return the steps’ namespace',
    source: 'library reference: locals() at module level',
    steps: [{ code: 'z = 2\nglobals() is locals() and globals()["z"]', shown: '2' }],
  },
  {
    name: '__name__ is __main__',
    source: 'IPython: user_module',
    steps: [
      { code: '__name__', shown: "'__main__'" },
      { code: 'if __name__ == "__main__": print("main")', stdout: 'main\n' },
    ],
  },
  {
    name: 'sys.modules has the steps’ namespace as __main__',
    source: 'IPython: user_module',
    steps: [{ code: 'q = 4\nimport __main__\n__main__.q', shown: '4' }],
  },
  {
    name: 'exec, eval and compile work on the namespace',
    source: 'library reference: exec',
    steps: [{ code: 'exec("k = 5")' }, { code: 'eval("k") + 1', shown: '6' }],
  },
  {
    name: 'a from __future__ statement holds for later steps',
    source: 'code.InteractiveInterpreter, IPython: CachingCompiler',
    steps: [
      { code: 'from __future__ import annotations' },
      { code: 'def f(x: nowhere): pass\nf.__annotations__', shown: "{'x': 'nowhere'}" },
    ],
  },
  {
    name: 'without a from __future__ statement, annotations are those of the interpreter',
    source: reference('8.7'),
    steps: [{ code: 'def f(x: int): pass\nf.__annotations__["x"] is int', shown: 'True' }],
  },
  {
    name: 'a module variable can be annotated',
    source: reference('7.2.2'),
    steps: [{ code: 'count: int = 3' }, { code: 'count', shown: '3' }],
  },
  {
    name: 'modules of the working directory can be imported',
    source: 'sys.path[0] is empty in an interactive interpreter',
    files: { 'mine.py': 'value = 11\n' },
    steps: [{ code: 'import mine; mine.value', shown: '11' }],
  },
  {
    name: 'a step can import a module that the step before has written',
    source: 'importlib.invalidate_caches',
    steps: [
      { code: 'open("fresh.py", "w").write("v = 12"); import importlib; importlib.invalidate_caches()' },
      { code: 'import fresh; fresh.v', shown: '12' },
    ],
  },
  {
    name: 'importlib.reload loads a changed module',
    source: 'library reference: importlib.reload',
    files: { 'mine.py': 'v = 1\n' },
    steps: [
      { code: 'import mine' },
      { code: 'import importlib; open("mine.py", "w").write("v = 22222"); importlib.reload(mine).v', shown: '22222' },
    ],
  },
  {
    name: 'a star import binds public names',
    source: reference('7.11'),
    steps: [{ code: 'from math import *' }, { code: 'floor(pi)', shown: '3' }],
  },
  {
    name: 'relative paths start at the working directory',
    source: 'open(2)',
    files: { 'data.txt': 'text' },
    steps: [{ code: 'open("data.txt").read()', shown: "'text'" }],
  },
  {
    name: 'os.chdir holds for later steps',
    source: 'chdir(2)',
    steps: [
      { code: 'import os; os.mkdir("sub"); os.chdir("sub")' },
      { code: 'os.path.basename(os.getcwd())', shown: "'sub'" },
    ],
  },
  {
    name: 'os.environ holds for later steps',
    source: 'library reference: os.environ',
    steps: [{ code: 'import os; os.environ["KEPT"] = "yes"' }, { code: '!echo $KEPT', stdout: 'yes\n' }],
  },
  {
    name: 'sys.argv is the same as in an interactive interpreter',
    source: 'library reference: sys.argv',
    steps: [{ code: 'import sys; sys.argv', shown: "['']" }],
  },
  {
    name: 'large integers and floats are shown whole',
    source: 'repr',
    steps: [
      { code: '2**200', shown: '1606938044258990275541962092341162602522202993782792835301376' },
      { code: '0.1 + 0.2', shown: '0.30000000000000004' },
    ],
  },
  {
    name: 'a match statement works',
    source: 'Python 3.10: PEP 634',
    steps: [
      {
        code: 'import sys\nif sys.version_info < (3, 10): print("two")\nelse: exec("match (1, 2):\\n  case (1, x): print(\'two\')")',
        stdout: 'two\n',
      },
    ],
  },
  {
    name: 'display() shows values at once and in order',
    source: 'IPython.display.display',
    steps: [{ code: 'display(1, "b"); 3', displayed: ['1', "'b'"], shown: '3' }],
  },
  {
    name: 'a string is shown by its repr',
    source: 'IPython: text/plain',
    steps: [{ code: "'it\\'s\\n'", shown: '"it\'s\\n"' }],
  },
  {
    name: 'weak references die with their objects between steps',
    source: 'library reference: weakref',
    steps: [
      { code: 'import weakref, gc\nclass A: pass\na = A(); r = weakref.ref(a)' },
      { code: 'del a' },
      { code: 'gc.collect(); r() is None', shown: 'True' },
    ],
  },
  {
    name: 'environment variables of one step are restored after it',
    source: 'kernel protocol: execute.env',
    steps: [
      {
        code: 'import os; os.environ["LANG"], os.environ["ONLY"]',
        env: { LANG: 'xx', ONLY: 'now' },
        shown: "('xx', 'now')",
      },
      { code: 'os.environ["LANG"], os.environ.get("ONLY")', shown: "('C.UTF-8', None)" },
    ],
  },
  {
    name: 'environment variables of one step are restored after an error, and after code that changed them',
    source: 'kernel protocol: execute.env',
    steps: [
      {
        code: 'import os; os.environ["ONLY"] = "mine"; del os.environ["HOME"]; 1/0',
        env: { ONLY: 'now', HOME: '/x' },
        error: { name: 'ZeroDivisionError' },
      },
      { code: 'os.environ.get("ONLY"), "HOME" in os.environ', shown: '(None, True)' },
    ],
  },
  {
    name: 'TZ of one step changes the local time of that step alone',
    source: 'time.tzset',
    steps: [
      { code: 'import time; time.localtime(0).tm_hour', env: { TZ: 'UTC-5' }, shown: '5' },
      { code: 'time.localtime(0).tm_hour == 5 or time.timezone != -18000', shown: 'True' },
    ],
  },
  {
    name: 'an environment variable of one step reaches its child processes',
    source: 'kernel protocol: execute.env',
    steps: [
      {
        code: 'import subprocess; subprocess.run("echo $ONLY", shell=True).returncode',
        env: { ONLY: 'child' },
        stdout: 'child\n',
        shown: '0',
      },
    ],
  },
];
