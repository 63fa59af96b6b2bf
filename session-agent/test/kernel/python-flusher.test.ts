import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { kernelConfig, openKernel } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

/** Steps print "begun" and at once the rest, each after a pause in which the flusher has gone to sleep, and then never end by themselves. */
const writes: [name: string, before: string, write: string][] = [
  ['print', '', 'print("begun")'],
  ['print to stderr', 'import sys', 'print("begun", file=sys.stderr)'],
  ['a thread', 'import threading', 'threading.Timer(0, print, ["begun"]).start()'],
  ['bytes', 'import sys', 'sys.stdout.buffer.write(b"begun")'],
  ['a method that an earlier step has kept', 'import sys; print(); write = sys.stdout.write', 'write("begun")'],
  ['a method of bytes that is kept', 'import sys; print(); write = sys.stdout.buffer.write', 'write(b"begun")'],
  [
    'a stream of its own',
    'import io, sys',
    'io.TextIOWrapper(sys.stdout.buffer, line_buffering=True).write("begun\\n")',
  ],
  ['a stream that took the place of a closed one', 'import sys; sys.stdout.close()', 'print("begun")'],
];
const endless = { computes: 'while True: pass', sleeps: 'import time\ntime.sleep(600)' };

for (const [name, before, write] of writes)
  for (const [verb, rest] of Object.entries(endless))
    test(`output by ${name} comes while the step ${verb}`, async () => {
      await using open = await openKernel('python');
      await open.run(before);
      let output = '';
      const running = open.run(`import time\ntime.sleep(0.1)\nkept = ${write}\n${rest}`, (text) => {
        output += text;
      });
      await until('the output', () => output.includes('begun'));
      open.kernel.interrupt();
      expect((await running).end.status).toBe('interrupted');
    });

test('output comes again and again while a step goes on', async () => {
  await using open = await openKernel('python');
  const { chunks } = await open.run('import time\nfor n in range(20):\n  print(n)\n  time.sleep(0.05)');
  expect(chunks).toHaveLength(20);
});

test('a forked child writes at its end what it has not flushed', async () => {
  await using open = await openKernel('python');
  const { stdout } = await open.run(
    'import os, time\ntime.sleep(0.1)\nchild = os.fork()\nprint(".", end="")\nif child: os.waitpid(child, 0)',
  );
  expect(stdout).toBe('..');
});

test('steps that print nothing do not wake the flusher', async () => {
  await using open = await openKernel('python');
  await open.run(`
import os, time
def wakes():
    flusher, = set(os.listdir('/proc/self/task')) - {str(os.getpid())}
    with open('/proc/self/task/%s/status' % flusher) as status:
        return sum(int(line.split()[1]) for line in status if 'ctxt_switches' in line)
print('It is awake now.')
time.sleep(0.1)
before = wakes()`);
  for (let i = 0; i < 20; i++) await open.run('import time\ntime.sleep(0.01)');
  expect((await open.run('wakes() - before')).shown).toBe('0');
});

/** Sends an interrupt while protected code runs and the flusher sleeps. The interrupt arrives in the user's code that follows. */
const interruptProgram = `
import signal, sys, time
sys.path.insert(0, ${JSON.stringify(new URL('../../src/languages/python', import.meta.url).pathname)})
from holdfast_kernel.agent import interrupt
from holdfast_kernel.streams.flusher import Flusher

class Streams:
    def set_wake(self, wake): pass
    def unwatch_writes(self): pass
    def watch_writes(self): return True
    def flush(self): return False

Flusher(Streams())
interrupt.install(0)
interrupt.protect('<string>')
time.sleep(0.1)
interrupt.expect()
interrupt.arm()
signal.raise_signal(signal.SIGINT)
try:
    exec(compile('time.sleep(60)', '<step>', 'exec'))
except KeyboardInterrupt:
    print('interrupted')
`;

test('an interrupt that finds protected code is sent again', async () => {
  const { python } = await kernelConfig();
  const { stdout } = await promisify(execFile)(python as string, ['-c', interruptProgram]);
  expect(stdout).toBe('interrupted\n');
});
