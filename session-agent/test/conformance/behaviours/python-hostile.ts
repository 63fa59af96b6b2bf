import type { Behaviour } from './run-behaviours.ts';

const trust = 'faults of systems like this one';
const works = { code: '40 + 2', shown: '42' };

/** Attacks of code on its kernel: they have no effect, or this kernel alone dies, with its cause. */
export const hostile: Behaviour[] = [
  {
    name: 'a forged end mark does not end a step',
    source: trust,
    steps: [
      {
        code: `print("\\0holdfast:${'0'.repeat(32)}:e\\0after")`,
        stdout: `\0holdfast:${'0'.repeat(32)}:e\0after\n`,
      },
      works,
    ],
  },
  {
    name: 'a forged result for another step is dropped',
    source: trust,
    steps: [
      {
        code: 'import os, json\nm = json.dumps({"type": "done", "stepId": "stp_" + "0" * 26, "status": "failed"}).encode()\nos.write(3, len(m).to_bytes(4, "big") + m);',
      },
      works,
    ],
  },
  {
    name: 'a garbled message kills the kernel alone, with its cause',
    source: trust,
    steps: [
      {
        code: 'import os, time; os.write(3, b"\\0\\0\\0\\2{{"); time.sleep(60)',
        status: 'died',
        cause: { code: 'kernel_killed' },
      },
    ],
  },
  {
    name: 'a closed channel kills the kernel alone',
    source: trust,
    steps: [{ code: 'import os, time; os.close(3); time.sleep(60)', status: 'died' }],
  },
  {
    name: 'sabotaged builtins kill this kernel alone, with its cause',
    source: trust,
    steps: [
      {
        code: 'import builtins\nbuiltins.len = builtins.isinstance = builtins.any = None',
        status: 'died',
        cause: { code: 'kernel_exited' },
        stderr: /^/,
      },
    ],
  },
  {
    name: 'a patched json does not stop the kernel',
    source: trust,
    steps: [{ code: 'import json\njson.dumps = json.loads = None' }, works],
  },
  {
    name: 'deleting builtins removes only their names',
    source: trust,
    steps: [{ code: 'del __builtins__.print\nprint("x")', error: { name: 'NameError' } }, works],
  },
  {
    name: 'a cleared sys.modules does not stop the kernel',
    source: trust,
    steps: [{ code: 'import sys; sys.modules.clear()' }, works],
  },
  {
    name: 'an emptied namespace does not stop the kernel',
    source: trust,
    steps: [{ code: 'globals().clear()' }, works],
  },
  {
    name: 'a signal handler for SIGINT does not survive its step',
    source: trust,
    steps: [
      { code: 'import signal; _h = signal.signal(signal.SIGINT, signal.SIG_IGN)' },
      { code: 'print("up", flush=True)\nwhile True: pass', interruptAt: 'up', stdout: 'up\n', status: 'interrupted' },
      works,
    ],
  },
  {
    name: 'a step that catches one interrupt ends at the next',
    source: trust,
    steps: [
      {
        code: 'import time\nprint("up", flush=True)\ntry: time.sleep(60)\nexcept KeyboardInterrupt: print("caught")',
        interruptAt: 'up',
        stdout: 'up\ncaught\n',
      },
      works,
    ],
  },
  {
    name: 'an interrupt stops an exception whose text never comes',
    source: trust,
    steps: [
      {
        code: 'class E(Exception):\n  def __str__(self):\n    print("up", flush=True)\n    while True: pass\nraise E',
        interruptAt: 'up',
        stdout: /^up\n/,
        status: 'interrupted',
      },
      works,
    ],
  },
  {
    name: 'an exception whose text exits does not end the kernel',
    source: trust,
    steps: [
      { code: 'class E(Exception):\n  def __str__(self): raise SystemExit(3)\nraise E', error: { name: 'E' } },
      works,
    ],
  },
  {
    name: 'a value that lies about its class is shown',
    source: trust,
    steps: [
      {
        code: 'class L:\n  __class__ = property(lambda self: type)\n  def __repr__(self): return "L"\nL()',
        shown: 'L',
      },
      works,
    ],
  },
  {
    name: 'a value that has attributes of every name is shown by its repr',
    source: trust,
    steps: [
      {
        code: 'class Any:\n  def __getattr__(self, name): return lambda *a, **k: 7\n  def __repr__(self): return "any"\nAny()',
        shown: 'any',
      },
      works,
    ],
  },
  {
    name: 'an alarm between steps does not end the kernel',
    source: trust,
    steps: [
      {
        code: 'import signal\ndef ring(*a): raise TimeoutError("rang")\n_h = signal.signal(signal.SIGALRM, ring); _t = signal.setitimer(signal.ITIMER_REAL, 0.03)',
        background: /TimeoutError: rang/,
      },
      works,
    ],
  },
  {
    name: 'a stream of the user’s whose flush fails does not fail the step',
    source: trust,
    steps: [
      {
        code: 'import sys\nclass S:\n  def write(self, t): sys.__stdout__.write(t.upper())\n  def flush(self): raise SystemExit\nsys.stdout = S(); print("x")',
        stdout: 'X\n',
      },
      works,
    ],
  },
  {
    name: 'an interrupt stops a task that never yields',
    source: trust,
    steps: [
      {
        code: 'import asyncio\nasync def spin():\n  print("up", flush=True)\n  while True: pass\nawait spin()',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      works,
    ],
  },
  {
    name: 'a task that swallows its cancellation does not end the kernel',
    source: trust,
    steps: [
      {
        code: 'import asyncio\nprint("up", flush=True)\ntry: await asyncio.sleep(60)\nexcept asyncio.CancelledError: print("no")',
        interruptAt: 'up',
        stdout: 'up\nno\n',
      },
      works,
    ],
  },
  {
    name: 'threads that print endlessly do not disturb the output of the next step',
    source: trust,
    steps: [
      {
        code: 'import threading\ndef w():\n  while not stop.is_set(): print("noise" * 50)\nstop = threading.Event(); threading.Thread(target=w, daemon=True).start()',
        stdout: /^[noise\n]*$/,
      },
      { code: 'print("mine")', stdout: 'mine\n' },
      { code: 'stop.set()' },
      works,
    ],
  },
  {
    name: 'an exception hook and a display hook of the user’s have no effect on the kernel',
    source: trust,
    steps: [
      { code: 'import sys\nsys.excepthook = sys.displayhook = None' },
      works,
      { code: '1/0', error: { name: 'ZeroDivisionError' } },
    ],
  },
  {
    name: 'a tracer that fails does not stop the kernel',
    source: trust,
    steps: [
      { code: 'import sys\nsys.settrace(lambda *a: 1/0)\ndef f(): pass\nf()', error: { name: 'ZeroDivisionError' } },
      works,
    ],
  },
  {
    name: 'a cleared linecache loses only the sources',
    source: trust,
    steps: [
      { code: 'def f(): 1/0\nimport linecache; linecache.clearcache()' },
      { code: 'f()', error: { name: 'ZeroDivisionError', traceback: /<step 1>/ } },
      works,
    ],
  },
  {
    name: 'a recursion that reaches the limit does not end the kernel',
    source: trust,
    steps: [
      { code: 'import sys\ndef f(): return f()\ntry: f()\nexcept RecursionError: print("deep")', stdout: 'deep\n' },
      works,
    ],
  },
];
