import type { Behaviour } from './run-behaviours.ts';

const traceback = 'library reference: traceback.print_exc';
const reference = (section: string) => `Python language reference, ${section}`;

/** Errors of all kinds, with their positions and sources. */
export const errors: Behaviour[] = [
  {
    name: 'an uncaught exception fails the step with its error',
    source: traceback,
    steps: [
      {
        code: 'int("x")',
        error: {
          name: 'ValueError',
          message: "invalid literal for int() with base 10: 'x'",
          traceback: /^Traceback \(most recent call last\):\n {2}File "<step 1>", line 1, in <module>\n {4}int\("x"\)/,
        },
      },
    ],
  },
  {
    name: 'output before an error stays',
    source: traceback,
    steps: [
      {
        code: 'print("before")\n1/0',
        stdout: 'before\n',
        error: { name: 'ZeroDivisionError', message: 'division by zero' },
      },
    ],
  },
  {
    name: 'the message of a KeyError is the quoted key',
    source: 'KeyError.__str__',
    steps: [{ code: '{}["a"]', error: { name: 'KeyError', message: "'a'" } }],
  },
  {
    name: 'an exception without arguments has an empty message',
    source: traceback,
    steps: [{ code: 'raise ValueError', error: { name: 'ValueError', message: '' } }],
  },
  {
    name: 'an exception class of a step has its own name',
    source: traceback,
    steps: [
      {
        code: 'class Odd(Exception): pass\nraise Odd("why")',
        error: { name: 'Odd', message: 'why', traceback: /Odd: why$/ },
      },
    ],
  },
  {
    name: 'a syntax error has its position',
    source: reference('9.3'),
    steps: [
      {
        code: 'x = 1\nfor in y:',
        error: { name: 'SyntaxError', traceback: /^ {2}File "<step 1>", line 2\n {4}for in y:/ },
      },
    ],
  },
  {
    name: 'a step with a syntax error does not run at all',
    source: reference('9.2'),
    steps: [{ code: 'print("ran")\n1 +', error: { name: 'SyntaxError' } }],
  },
  {
    name: 'wrong indentation is an IndentationError',
    source: reference('2.1.8'),
    steps: [{ code: 'if True:\nx = 1', error: { name: 'IndentationError', message: /expected an indented block/ } }],
  },
  {
    name: 'mixed tabs and spaces are a TabError',
    source: reference('2.1.8'),
    steps: [{ code: 'if True:\n        x = 1\n\ty = 2', error: { name: 'TabError' } }],
  },
  {
    name: 'an open bracket is a SyntaxError',
    source: reference('2.1.6'),
    steps: [{ code: 'print((1, 2)', error: { name: 'SyntaxError' } }],
  },
  {
    name: 'a NUL in the source is an error',
    source: reference('2.1'),
    steps: [{ code: 'x = 1\0', error: { name: /^(SyntaxError|ValueError)$/, message: /null byte/ } }],
  },
  {
    name: 'return outside of a function is an error',
    source: reference('7.6'),
    steps: [{ code: 'return 1', error: { name: 'SyntaxError', message: /'return' outside function/ } }],
  },
  {
    name: 'an assignment to a keyword is an error',
    source: reference('2.3.1'),
    steps: [{ code: 'None = 1', error: { name: 'SyntaxError', message: /cannot assign to None/ } }],
  },
  {
    name: 'a SyntaxError in the source of exec names that source',
    source: traceback,
    steps: [{ code: 'exec("a b")', error: { name: 'SyntaxError', traceback: /File "<string>", line 1/ } }],
  },
  {
    name: 'a traceback shows the source of earlier steps',
    source: 'IPython: one file name for each cell',
    steps: [
      { code: 'def f(n):\n  return 1 / n' },
      {
        code: 'f(0)',
        error: {
          name: 'ZeroDivisionError',
          traceback:
            /File "<step 2>", line 1, in <module>\n {4}f\(0\)\n(?: {4}[~^]+\n)? {2}File "<step 1>", line 2, in f\n {4}return 1 \/ n/,
        },
      },
    ],
  },
  {
    name: 'a traceback shows the source of modules',
    source: traceback,
    files: { 'mod.py': 'def f():\n  raise OSError("mod")\n' },
    steps: [
      {
        code: 'import mod\nmod.f()',
        error: { name: 'OSError', traceback: /mod\.py", line 2, in f\n {4}raise OSError\("mod"\)/ },
      },
    ],
  },
  {
    name: 'a traceback has no frames of the kernel',
    source: 'languages/README.md',
    steps: [
      { code: 'raise ValueError', error: { name: 'ValueError', traceback: /^(?![\s\S]*holdfast)/ } },
      {
        code: 'import asyncio\nawait asyncio.sleep(0)\nraise ValueError',
        error: { name: 'ValueError', traceback: /^(?![\s\S]*(holdfast|base_events))/ },
      },
    ],
  },
  {
    name: 'a cause is shown before its exception',
    source: reference('7.8'),
    steps: [
      {
        code: 'try: 1/0\nexcept Exception as e: raise RuntimeError("r") from e',
        error: {
          name: 'RuntimeError',
          traceback:
            /ZeroDivisionError: division by zero\n\nThe above exception was the direct cause of the following exception:\n\n[\s\S]*RuntimeError: r$/,
        },
      },
    ],
  },
  {
    name: 'a context is shown before its exception',
    source: reference('7.8'),
    steps: [
      {
        code: 'try: 1/0\nexcept Exception: {}[1]',
        error: { name: 'KeyError', traceback: /During handling of the above exception, another exception occurred:/ },
      },
    ],
  },
  {
    name: 'raise from None hides the context',
    source: reference('7.8'),
    steps: [
      {
        code: 'try: 1/0\nexcept Exception: raise ValueError("v") from None',
        error: { name: 'ValueError', traceback: /^(?![\s\S]*ZeroDivision)/ },
      },
    ],
  },
  {
    name: 'a bare raise keeps the first traceback',
    source: reference('7.8'),
    steps: [
      {
        code: 'def f(): 1/0\ntry: f()\nexcept Exception: raise',
        error: { name: 'ZeroDivisionError', traceback: /line 1, in f/ },
      },
    ],
  },
  {
    name: 'an endless recursion is an error, and the kernel lives',
    source: 'library reference: RecursionError',
    steps: [
      {
        code: 'def f(): return f()\nf()',
        error: { name: 'RecursionError', traceback: /Previous line repeated \d+ more times/ },
      },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'an error in __repr__ of the last value fails the step',
    source: 'IPython shows it as an error as well',
    steps: [
      {
        code: 'class A:\n  def __repr__(self): raise LookupError("repr")\nA()',
        error: { name: 'LookupError', message: 'repr' },
      },
    ],
  },
  {
    name: 'a BaseException fails the step like any other error',
    source: traceback,
    steps: [{ code: 'raise GeneratorExit("g")', error: { name: 'GeneratorExit', message: 'g' } }],
  },
  {
    name: 'a KeyboardInterrupt that code raises itself fails the step',
    source: 'no interrupt came',
    steps: [
      {
        code: 'raise KeyboardInterrupt("own")',
        status: 'failed',
        error: { name: 'KeyboardInterrupt', message: 'own' },
      },
    ],
  },
  {
    name: 'a failed assertion has its message',
    source: reference('7.3'),
    steps: [{ code: 'assert 1 == 2, "sums"', error: { name: 'AssertionError', message: 'sums' } }],
  },
  {
    name: 'sys.exc_info is empty in the next step',
    source: 'library reference: sys.exc_info',
    steps: [
      { code: '1/0', error: { name: 'ZeroDivisionError' } },
      { code: 'import sys; sys.exc_info()', shown: '(None, None, None)' },
    ],
  },
  {
    name: 'traceback.print_exc shows the step’s source on stderr',
    source: traceback,
    steps: [
      {
        code: 'import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()',
        stderr:
          /^Traceback \(most recent call last\):\n {2}File "<step 1>", line 2, in <module>\n {4}try: 1\/0\n[\s\S]*ZeroDivisionError: division by zero\n$/,
      },
    ],
  },
  {
    name: 'traceback.format_stack has only the user’s frames below the step',
    source: traceback,
    steps: [
      {
        code: 'import traceback\ntraceback.format_stack()[-1].splitlines()[0]',
        shown: '\'  File "<step 1>", line 2, in <module>\'',
      },
    ],
  },
  {
    name: 'a warning goes to stderr with its line',
    source: 'library reference: warnings',
    steps: [
      {
        code: 'import warnings\nwarnings.warn("careful")',
        stderr: '<step 1>:2: UserWarning: careful\n  warnings.warn("careful")\n',
      },
    ],
  },
  {
    name: 'a warning of the compiler goes to stderr',
    source: 'library reference: SyntaxWarning',
    steps: [{ code: '1 is 1', stderr: /SyntaxWarning: "is" with /, shown: 'True' }],
  },
  {
    name: 'an exception in a thread is printed and fails no step',
    source: 'threading.excepthook',
    steps: [
      {
        code: 'import threading\nt = threading.Thread(target=lambda: 1/0); t.start(); t.join()',
        stderr: /^Exception in thread[\s\S]*ZeroDivisionError: division by zero\n$/,
      },
    ],
  },
  {
    name: 'an exception in __del__ is printed and fails no step',
    source: 'sys.unraisablehook',
    steps: [
      {
        code: 'class A:\n  def __del__(self): 1/0\na = A(); del a',
        stderr: /^Exception ignored [\s\S]*ZeroDivisionError: division by zero\n$/,
      },
    ],
  },
  {
    name: 'exit ends the step with code 0',
    source: 'library reference: site, exit',
    steps: [{ code: 'print("bye"); exit(); print("never")', stdout: 'bye\n', exitCode: 0 }],
  },
  {
    name: 'quit fails the step with any other code',
    source: 'library reference: site, quit',
    steps: [{ code: 'quit(2)', exitCode: 2, error: { name: 'SystemExit', message: '2' } }],
  },
  {
    name: 'sys.exit with a text prints it on stderr and has code 1',
    source: 'library reference: sys.exit',
    steps: [
      {
        code: 'import sys; sys.exit("reason")',
        stderr: 'reason\n',
        exitCode: 1,
        error: { name: 'SystemExit', message: 'reason' },
      },
    ],
  },
  {
    name: 'a SystemExit that the code catches does not end the context',
    source: 'library reference: SystemExit',
    steps: [
      { code: 'try: exit()\nexcept SystemExit: print("stays")', stdout: 'stays\n' },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'atexit functions wait for the end of the process, which an exit of a step is not',
    source: 'library reference: atexit',
    steps: [
      { code: 'import atexit\natexit.register(print, "bye"); exit()', exitCode: 0 },
      { code: 'atexit._ncallbacks() > 0', shown: 'True' },
    ],
  },
  {
    name: 'os._exit ends the context at once',
    source: 'library reference: os._exit',
    steps: [{ code: 'import os; os._exit(5)', status: 'died', cause: { code: 'kernel_exited', exitCode: 5 } }],
  },
];
