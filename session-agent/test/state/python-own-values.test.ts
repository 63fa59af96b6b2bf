import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoverState, saveState } from '../support/state.ts';

const module = `
import enum, functools, threading, time
n = 0
state = []
PI = 3
START = time.time_ns()
lock = threading.Lock()
waiting = (k for k in range(9))
class K:
  total = 0
  items = []
class E(enum.Enum): A = 1
class Conf: debug = False
conf = Conf()
handler = None
def bump():
  global n
  n += 1; state.append(n); bump.calls += 1; K.total += 1; K.items.append(n); conf.debug = True
bump.calls = 0
def gather(x, found=[]): found.append(x); return found
def make():
  count = 0
  def inc():
    nonlocal count
    count += 1; return count
  return inc
inc = make()
def decorated(f):
  @functools.wraps(f)
  def wrapper(*a): return f(*a)
  return wrapper
@decorated
def plain(x): return x
def set_handler(f):
  global handler
  handler = f
def run():
  def work():
    while True: bump(); time.sleep(0.01)
  threading.Thread(target=work, daemon=True).start()
`;

const before = [
  'import os, sys, tempfile; os.chdir(tempfile.mkdtemp()); sys.path.insert(0, "")',
  `_ = open("counter.py", "w").write(${JSON.stringify(module)})`,
  'import counter; from counter import state; x = [5]\ndef mine(): return x',
];

async function after(codes: string[], later: string[] = []) {
  await using saved = await openKernel('python');
  for (const code of [...before, ...codes]) expect((await saved.run(code)).error).toBeUndefined();
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { archive, steps: later.map((code) => ({ code })) });
  return { kernel, report, lost: report.lost.map(({ name }) => name).sort() };
}

const never = ['counter.inc', 'counter.waiting'];

test.each([
  [
    'counter.bump(); counter.bump()',
    'counter.n, state, state is counter.state, counter.bump.calls',
    '(2, [1, 2], True, 2)',
  ],
  ['counter.bump()', 'counter.K.total, counter.K.items, counter.conf.debug, counter.PI', '(1, [1], True, 3)'],
  ['_ = counter.gather(3)', 'counter.gather(4)', '[3, 4]'],
  ['counter.set_handler(mine)', 'counter.handler is mine, counter.handler()', '(True, [5])'],
  ['counter.extra = x', 'counter.extra is x', 'True'],
  ['started = counter.START', 'counter.START == started', 'True'],
])('values that a module of the user has changed come back after %j', async (code, check, shown) => {
  const { kernel, lost, report } = await after([code]);
  await using _kernel = kernel;
  expect(lost).toEqual(never);
  expect(report.restored.filter((name) => name.includes('.'))).toEqual([]);
  expect((await kernel.run(check)).shown).toBe(shown);
});

test('values that such a module may have changed in a later step are lost by their paths', async () => {
  const { kernel, lost } = await after([], ['counter.bump()', 'from counter import n as taken', 'print(x)']);
  await using _kernel = kernel;
  const own = [
    'Conf.debug',
    'K.items',
    'K.total',
    'bump.calls',
    'conf',
    'gather.__defaults__',
    'handler',
    'inc',
    'n',
    'state',
    'waiting',
  ];
  expect(lost).toEqual([...own.map((name) => `counter.${name}`), 'state', 'taken', 'x'].sort());
});

test('values of a module that has a thread are lost, and others are not', async () => {
  const { kernel, lost } = await after(['counter.run()']);
  await using _kernel = kernel;
  expect(lost).toEqual(expect.arrayContaining(['(threads and tasks)', 'counter.n', 'counter.state', 'state']));
  expect((await kernel.run('x, counter.n')).shown).toBe('([5], 0)');
});

test('values of a module that is gone are lost, and its users as well', async () => {
  const { kernel, lost } = await after(['counter.bump(); os.unlink("counter.py")']);
  await using _kernel = kernel;
  expect(lost).toEqual(expect.arrayContaining(['counter', 'counter.n']));
  expect((await kernel.run('x')).shown).toBe('[5]');
});
