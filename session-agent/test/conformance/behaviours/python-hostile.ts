import type { Behaviour } from './run-behaviours.ts';

const trust = 'reference: what goes wrong in systems like this one';
const works = { code: '40 + 2', shown: '42' };

/** Code that attacks its kernel: either nothing happens, or this kernel alone dies, with its cause. */
export const hostile: Behaviour[] = [
  {
    name: 'a forged end mark does not end a step',
    source: trust,
    steps: [
      {
        code: `print("\\0holdfast-end:${'0'.repeat(32)}\\0after")`,
        stdout: `\0holdfast-end:${'0'.repeat(32)}\0after\n`,
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
    name: 'deleted builtins cost no more than their names',
    source: trust,
    steps: [{ code: 'del __builtins__.print\nprint("x")', error: { name: 'NameError' } }, works],
  },
  {
    name: 'a cleared sys.modules leaves the kernel at work',
    source: trust,
    steps: [{ code: 'import sys; sys.modules.clear()' }, works],
  },
  {
    name: 'an emptied namespace leaves the kernel at work',
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
    name: 'an interrupt that is caught once is followed by another that is not',
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
    name: 'an exception whose text never comes can be interrupted',
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
    name: 'a value whose class lies is shown',
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
    name: 'a value that answers to every name is shown by its repr',
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
    name: 'an alarm between steps ends nothing',
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
    name: 'a user’s stream whose flush fails costs nothing',
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
    name: 'a task that never yields is interrupted',
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
    name: 'a task that swallows its cancellation is no end',
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
    name: 'threads that print without end leave the next step its own output',
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
    name: 'a traceback hook and a display hook of the user’s are not ours',
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
    name: 'a linecache that is cleared costs the sources alone',
    source: trust,
    steps: [
      { code: 'def f(): 1/0\nimport linecache; linecache.clearcache()' },
      { code: 'f()', error: { name: 'ZeroDivisionError', traceback: /<step 1>/ } },
      works,
    ],
  },
  {
    name: 'a recursion limit that is too low comes back',
    source: trust,
    steps: [
      { code: 'import sys\ndef f(): return f()\ntry: f()\nexcept RecursionError: print("deep")', stdout: 'deep\n' },
      works,
    ],
  },
];
