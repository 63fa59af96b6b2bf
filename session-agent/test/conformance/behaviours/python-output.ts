import type { Behaviour } from './run-behaviours.ts';

/** Python 3.12 and later warn of a fork beside threads, of which a kernel has one, as Jupyter's has. */
export const mayWarn = /^([^\n]*DeprecationWarning: [^\n]*multi-threaded[^\n]*\n[^\n]*\n)?$/;

const rule = 'languages/README.md: attribution of output';
const jupyter = 'ipykernel: OutStream';

/** Output: its text, its stream and the step that it belongs to. */
export const output: Behaviour[] = [
  {
    name: 'print writes to stdout, or to stderr if asked to',
    source: 'library reference: print',
    steps: [
      {
        code: 'import sys; print("a", 1, sep="-", end="!"); print("b", file=sys.stderr)',
        stdout: 'a-1!',
        stderr: 'b\n',
      },
    ],
  },
  {
    name: 'sys.stdout.write and writelines write',
    source: jupyter,
    steps: [{ code: 'import sys; _n = sys.stdout.write("x"); sys.stdout.writelines(["y", "z"])', stdout: 'xyz' }],
  },
  {
    name: 'bytes written to sys.stdout.buffer come in order with flushed text',
    source: 'library reference: io.TextIOWrapper',
    steps: [
      {
        code: 'import sys; print("a", flush=True); _n = sys.stdout.buffer.write(b"b\\n"); sys.stdout.buffer.flush(); print("c")',
        stdout: 'a\nb\nc\n',
      },
    ],
  },
  {
    name: 'os.write to fds 1 and 2 is output',
    source: 'write(2)',
    steps: [{ code: 'import os; os.write(1, b"raw\\n"); os.write(2, b"err\\n");', stdout: 'raw\n', stderr: 'err\n' }],
  },
  {
    name: 'broken UTF-8 becomes replacement characters',
    source: 'Unicode standard, 3.9',
    steps: [{ code: 'import os; os.write(1, b"a\\xffb\\n");', stdout: 'a\ufffdb\n' }],
  },
  {
    name: 'NUL and control characters come through',
    source: jupyter,
    steps: [{ code: 'print("a\\0b\\x1b[1mc\\r")', stdout: 'a\0b\x1b[1mc\r\n' }],
  },
  {
    name: 'a lone surrogate is escaped',
    source: 'errors="backslashreplace"',
    steps: [{ code: 'print("\\ud800")', stdout: '\\ud800\n' }],
  },
  {
    name: 'opening /dev/stdout writes to the stream',
    source: '/dev/stdout',
    steps: [{ code: 'with open("/dev/stdout", "w") as f: f.write("device\\n");', stdout: 'device\n' }],
  },
  {
    name: 'child processes write to the step',
    source: rule,
    steps: [
      {
        code: 'import subprocess; subprocess.run(["sh", "-c", "echo out; echo err >&2"]).returncode',
        stdout: 'out\n',
        stderr: 'err\n',
        shown: '0',
      },
    ],
  },
  {
    name: 'os.system writes to the step, after text that was printed and flushed before',
    source: 'library reference: os.system',
    steps: [
      {
        code: 'import os; print("before", flush=True); os.system("echo child")',
        stdout: 'before\nchild\n',
        shown: '0',
      },
    ],
  },
  {
    name: 'C code writes to the step',
    source: 'stdio(3)',
    steps: [{ code: 'import ctypes; c = ctypes.CDLL(None); _n = c.printf(b"from C\\n")', stdout: 'from C\n' }],
  },
  {
    name: 'redirect_stdout catches printed text',
    source: 'library reference: contextlib',
    steps: [
      {
        code: 'import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as s: print("caught")\ns.getvalue()',
        shown: "'caught\\n'",
      },
    ],
  },
  {
    name: 'a replaced sys.stdout stays replaced',
    source: 'IPython leaves it as well',
    steps: [
      { code: 'import sys, io\nsys.stdout = io.StringIO(); print("hidden")' },
      { code: 'text = sys.stdout.getvalue(); sys.stdout = sys.__stdout__; print(text, end="")', stdout: 'hidden\n' },
    ],
  },
  {
    name: 'sys.stdout set to None drops text, and works again in the next step',
    source: 'library reference: print',
    steps: [{ code: 'import sys; sys.stdout = None; print("lost")' }, { code: 'print("back")', stdout: 'back\n' }],
  },
  {
    name: 'a closed sys.stdout is an error in its step, and works again in the next',
    source: 'library reference: io',
    steps: [
      { code: 'import sys; sys.stdout.close(); print("x")', error: { name: 'ValueError', message: /closed file/ } },
      { code: 'print("back")', stdout: 'back\n' },
    ],
  },
  {
    name: 'a closed fd 1 works again in the next step',
    source: rule,
    steps: [{ code: 'import os; os.close(1)' }, { code: 'print("back")', stdout: 'back\n' }],
  },
  {
    name: 'a detached sys.stdout works again in the next step',
    source: 'library reference: io.TextIOBase.detach',
    steps: [
      { code: 'import sys; sys.stdout.detach()', shown: /BufferedWriter/ },
      { code: 'print("back")', stdout: 'back\n' },
    ],
  },
  {
    name: 'a deleted sys.stdout works again in the next step',
    source: rule,
    steps: [{ code: 'import sys; del sys.stdout' }, { code: 'print("back")', stdout: 'back\n' }],
  },
  {
    name: 'sys.stdout is not a terminal and has UTF-8',
    source: 'PEP 538',
    steps: [
      {
        code: 'import sys; sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.fileno(), sys.stdout.name',
        shown: "(False, 'utf-8', 1, '<stdout>')",
      },
    ],
  },
  {
    name: 'logging writes to stderr, in later steps as well',
    source: 'library reference: logging',
    steps: [
      { code: 'import logging; logging.basicConfig(format="%(message)s"); logging.warning("w")', stderr: 'w\n' },
      { code: 'logging.error("e")', stderr: 'e\n' },
    ],
  },
  {
    name: 'a thread that the step waits for writes to the step',
    source: rule,
    steps: [
      {
        code: 'import threading\nt = threading.Thread(target=print, args=("mine",)); t.start(); t.join()',
        stdout: 'mine\n',
      },
    ],
  },
  {
    name: 'a thread that outlives its step writes to the background',
    source: rule,
    steps: [
      {
        code: 'import threading, time\ndef w(): time.sleep(0.05); print("late")\nthreading.Thread(target=w).start()',
        background: 'late\n',
      },
    ],
  },
  {
    name: 'a late thread never writes into a running step',
    source: rule,
    steps: [
      {
        code: 'import threading\ngo = threading.Event(); done = threading.Event()\ndef w():\n  go.wait(); print("late"); done.set()\nthreading.Thread(target=w).start()',
      },
      { code: 'go.set(); _d = done.wait(); print("mine")', stdout: 'mine\n' },
    ],
  },
  {
    name: 'a late task never writes into a running step',
    source: rule,
    steps: [
      {
        code: 'import asyncio\nasync def w():\n  await e.wait(); print("late")\ne = asyncio.Event(); t = asyncio.create_task(w())',
      },
      { code: 'e.set(); await t; print("mine")', stdout: 'mine\n' },
    ],
  },
  {
    name: 'late bytes, errors and logs never come into a running step either',
    source: rule,
    steps: [
      {
        code: 'import threading, sys, logging\ngo = threading.Event()\ndef w():\n  go.wait(); sys.stdout.buffer.write(b"bytes\\n"); print("err", file=sys.stderr, flush=True); logging.warning("log")\nt = threading.Thread(target=w); t.start()',
      },
      { code: 'go.set(); t.join(); print("mine", flush=True)', stdout: 'mine\n' },
    ],
  },
  {
    name: 'background output names its own step',
    source: rule,
    steps: [
      {
        code: 'import threading\ngo = threading.Event()\ndef w(n): go.wait(); print("late", n)\nthreading.Thread(target=w, args=(1,)).start()',
      },
      {
        code: 'threading.Thread(target=w, args=(2,)).start(); threading.Timer(0.1, go.set).start()',
        background: 'late 2\n',
      },
    ],
  },
  {
    name: 'a late child process writes to the background',
    source: rule,
    steps: [
      { code: 'import subprocess\np = subprocess.Popen("sleep 0.05; echo late", shell=True)', background: 'late\n' },
    ],
  },
  {
    name: 'a late child process never writes into a running step',
    source: rule,
    steps: [
      { code: 'import subprocess\np = subprocess.Popen("read x; echo late", shell=True, stdin=subprocess.PIPE)' },
      { code: 'p.stdin.write(b"\\n"); p.stdin.close(); p.wait(); print("mine")', stdout: 'mine\n' },
      { code: 'print("next")', stdout: 'next\n' },
    ],
  },
  {
    name: 'a late fork never writes into a running step',
    source: rule,
    steps: [
      {
        stderr: mayWarn,
        code: 'import os\nr, w = os.pipe(); pid = os.fork()\nif pid == 0:\n  os.read(r, 1); print("late"); os._exit(0)',
      },
      { code: 'os.write(w, b"x"); os.waitpid(pid, 0); print("mine")', stdout: 'mine\n' },
    ],
  },
  {
    name: 'a fork that is killed loses no line',
    source: 'languages/README.md',
    steps: [
      {
        stderr: mayWarn,
        code: 'import os, signal\nr, w = os.pipe(); pid = os.fork()\nif pid == 0:\n  print("line"); os.write(w, b"x"); signal.pause()\nos.read(r, 1); os.kill(pid, 9); _s = os.waitpid(pid, 0)',
        stdout: 'line\n',
      },
    ],
  },
  {
    name: 'a step that leaves children ends at once',
    source: 'languages/README.md',
    steps: [
      { code: 'import subprocess\np = subprocess.Popen(["sleep", "100"])' },
      { code: 'print("a")', stdout: 'a\n' },
      { code: 'p.kill(); p.wait()', shown: '-9' },
    ],
  },
  {
    name: 'ten thousand lines come whole and in order while a late thread writes',
    source: rule,
    steps: [
      {
        code: 'import threading, time\ndef w():\n  go.wait()\n  while not stop.wait(0.001): print("noise")\ngo, stop = threading.Event(), threading.Event(); t = threading.Thread(target=w); t.start()',
      },
      {
        code: 'go.set()\nfor i in range(10000): print("x")\nprint("end", end="")\nstop.set(); t.join()',
        stdout: /^(x\n){10000}end$/,
      },
    ],
  },
];
