import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoveredAfter } from '../support/recovered-after.ts';
import { recoverState, saveState } from '../support/state.ts';

const kept = 'kept = [1]\ndef stays(): return kept';

test.each([
  [
    'a thread binds',
    'import threading, time\nn = 0\ndef work():\n  global n\n  while True:\n    n += 1; time.sleep(0.01)\nthreading.Thread(target=work, daemon=True).start()',
    ['(threads and tasks)', 'n'],
  ],
  [
    'a thread fills',
    'import threading, time\nl = []; also = {"l": l}\ndef work(to):\n  while True:\n    to.append(1); time.sleep(0.01)\nthreading.Thread(target=work, args=(l,), daemon=True).start()',
    ['(threads and tasks)', 'also', 'l'],
  ],
  [
    'a variable of a thread holds',
    'import threading, time\nl = []\ndef work():\n  here = l\n  rest(here)\ndef rest(it):\n  while True: it.append(1); time.sleep(0.01)\nthreading.Thread(target=work, daemon=True).start()',
    ['(threads and tasks)', 'l'],
  ],
  [
    'a thread of a class of a step changes',
    'import threading, time\nclass Worker(threading.Thread):\n  done = 0\n  def run(self):\n    while True: Worker.done += 1; time.sleep(0.01)\nWorker(daemon=True).start()',
    ['(threads and tasks)', 'Worker'],
  ],
  [
    'a thread without an object changes',
    'import _thread, time\nl = []\ndef work():\n  while True: l.append(1); time.sleep(0.01)\nident = _thread.start_new_thread(work, ())',
    ['(threads and tasks)', 'l'],
  ],
  [
    'a timer changes later',
    'import threading\nl = []\ntimer = threading.Timer(60, lambda: l.append(1)); timer.daemon = True; timer.start()',
    ['(threads and tasks)', 'l', 'timer'],
  ],
  [
    'a worker of a pool changes',
    'import concurrent.futures, time\nl = []\ndef work():\n  while True: l.append(1); time.sleep(0.01)\nrunning = concurrent.futures.ThreadPoolExecutor(1).submit(work)',
    ['(threads and tasks)', 'l', 'running'],
  ],
  [
    'a timer of signals changes',
    'import signal\nl = []\ndef tick(*_): l.append(1)\n_ = signal.signal(signal.SIGALRM, tick); _ = signal.setitimer(signal.ITIMER_REAL, 60, 60)',
    ['(threads and tasks)', 'l'],
  ],
  [
    'a server in a thread changes',
    'import http.server, threading\nhits = []\nclass Handler(http.server.BaseHTTPRequestHandler):\n  def do_GET(self): hits.append(1)\nserver = http.server.HTTPServer(("127.0.0.1", 0), Handler)\nthreading.Thread(target=server.serve_forever, daemon=True).start()',
    ['(threads and tasks)', 'hits', 'server'],
  ],
  [
    'a task changes',
    'import asyncio\nn = 0\nasync def work():\n  global n\n  while True: n += 1; await asyncio.sleep(0.01)\ntask = asyncio.create_task(work())',
    ['(threads and tasks)', 'n', 'task'],
  ],
  [
    'a task changes that nothing wakes',
    'import asyncio\nl = []\nasync def work(future, it):\n  await future\n  it.append(1)\ndone = asyncio.Future()\n_ = asyncio.create_task(work(done, l))',
    ['(threads and tasks)', '_', 'done', 'l'],
  ],
  [
    'a callback of the loop changes',
    'import asyncio\nl = []\n_ = asyncio.get_running_loop().call_later(60, l.append, 1)\ndef own(): l.append(2)\n_ = asyncio.get_running_loop().call_later(60, own)',
    ['(threads and tasks)', '_', 'l'],
  ],
])('a value that %s is lost, and nothing else', async (_title, before, lost) => {
  const { kernel, lost: seen } = await recoveredAfter(`${before}\n${kept}`);
  await using _kernel = kernel;
  expect(seen).toEqual(lost);
  expect((await kernel.run('stays()')).shown).toBe('[1]');
});

test('a fork begins with the values of the moment, and says that threads stay behind', async () => {
  await using saved = await openKernel('python');
  await saved.run(
    'import threading, time\nn = 7\nend = threading.Event()\ndef work():\n  global n\n  end.wait(); n += 1\nthreading.Thread(target=work, daemon=True).start()',
  );
  const archive = await saveState(saved.kernel, { isFork: true });
  await using fork = await openKernel('python');
  const report = await recoverState(fork.kernel, { archive });
  expect(report.lost.map(({ name }) => name).sort()).toEqual(['(threads and tasks)', 'end']);
  expect(report.lost.find(({ name }) => name === '(threads and tasks)')?.reason).toContain('Thread-');
  expect((await fork.run('n')).shown).toBe('7');
});

test.each([
  [
    'ended',
    'import threading\nl = []\nthread = threading.Thread(target=l.append, args=(1,)); thread.start(); thread.join(); del thread',
  ],
  [
    'waits for work in a pool',
    'import concurrent.futures\nl = []\npool = concurrent.futures.ThreadPoolExecutor(1); pool.submit(l.append, 1).result(); del pool',
  ],
])('a thread that %s costs nothing', async (_title, before) => {
  const { kernel, report } = await recoveredAfter(before);
  await using _kernel = kernel;
  expect(report.lost).toEqual([]);
});
