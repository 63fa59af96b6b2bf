import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

test('an event loop lives from step to step, and its tasks go on between them', async () => {
  await using open = await openKernel('python');
  await open.run('import asyncio\nasync def tick():\n  await asyncio.sleep(0.1)\n  print("ticked")\n  return 5');
  await open.run('task = asyncio.create_task(tick()); await asyncio.sleep(0)');
  await until('the task', () => open.background().includes('ticked'));
  expect((await open.run('await task')).shown).toBe('5');
});

test('async for and async with work at top level, and asyncio.run works in a step without await', async () => {
  await using open = await openKernel('python');
  const code = `
import asyncio, contextlib
async def count():
    for i in range(3): yield i
@contextlib.asynccontextmanager
async def opened(): yield "open"
seen = []
async for i in count(): seen.append(i)
async with opened() as state: seen.append(state)
seen`;
  expect((await open.run(code)).shown).toBe("[0, 1, 2, 'open']");
  expect((await open.run('async def four(): return 4\nasyncio.run(four())')).shown).toBe('4');
});

test('an awaiting step that is interrupted runs its cleanup', async () => {
  await using open = await openKernel('python');
  const code = 'import asyncio\nprint("up")\ntry:\n    await asyncio.sleep(60)\nfinally:\n    cleaned = True';
  expect((await open.run(code, () => open.kernel.interrupt())).end.status).toBe('interrupted');
  expect((await open.run('cleaned')).shown).toBe('True');
});

test('a value shows itself as a MIME bundle', async () => {
  await using open = await openKernel('python');
  const code = `
class Rich:
    def __repr__(self): return 'rich'
    def _repr_html_(self): return '<b>rich</b>'
    def _repr_png_(self): return b'\\x89PNG'
    def _repr_json_(self): return {'a': float('nan')}
Rich()`;
  const { results } = await open.run(code);
  expect(results).toEqual([
    {
      isMain: true,
      data: { 'text/plain': 'rich', 'text/html': '<b>rich</b>', 'image/png': 'iVBORw==' },
      metadata: { omitted: ['application/json'] },
    },
  ]);
});

test('an entry whose MIME key is too long is left out, and the kernel and the others stay', async () => {
  await using open = await openKernel('python');
  const { end, results } = await open.run(`
kept = 1
class Odd:
    def __repr__(self): return 'odd'
    def _repr_mimebundle_(self, **_): return {'a' * 257: 'x', 'b' * 256: 'y'}
Odd()`);
  expect(end.status).toBe('succeeded');
  expect(results).toEqual([
    {
      isMain: true,
      data: { 'text/plain': 'odd', ['b'.repeat(256)]: 'y' },
      metadata: { omitted: ['a'.repeat(256)] },
    },
  ]);
  expect((await open.run('kept')).shown).toBe('1');
});

test.for([9, 13])('an entry of %d MiB is left out, and the others stay', async (mib) => {
  await using open = await openKernel('python');
  const { results } = await open.run(`
class Big:
    def __repr__(self): return 'big'
    def _repr_html_(self): return 'x' * (${mib} << 20)
Big()`);
  expect(results).toEqual([{ isMain: true, data: { 'text/plain': 'big' }, metadata: { omitted: ['text/html'] } }]);
});

test('display shows values at once, before the last expression', async () => {
  await using open = await openKernel('python');
  const { results } = await open.run('display(1, "two"); 3');
  expect(results.map(({ data, isMain }) => [data['text/plain'], isMain])).toEqual([
    ['1', false],
    ["'two'", false],
    ['3', true],
  ]);
  expect((await open.run('1;')).results).toEqual([]);
});

test('open figures are sent as images and closed', async () => {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  await using open = await openKernel('python', { cwd: folder });
  try {
    // A stand-in with pyplot's few names, so that matplotlib need not be installed.
    const pyplot = `
class Figure:
    def savefig(self, file, **options): file.write(b'\\x89PNG')
figures = {}
def figure(number): return figures[number]
def get_fignums(): return sorted(figures)
def close(which): figures.clear()
def plot(): figures[len(figures) + 1] = Figure()`;
    writeFileSync(
      join(folder, 'make_pyplot.py'),
      `import sys, types\nmodule = types.ModuleType('matplotlib.pyplot')\nexec(${JSON.stringify(pyplot)}, module.__dict__)\nsys.modules['matplotlib.pyplot'] = module\n`,
    );
    const { results } = await open.run(
      'import make_pyplot, sys\nplt = sys.modules["matplotlib.pyplot"]\nplt.plot(); plt.plot()',
    );
    expect(results.map(({ data }) => data['image/png'])).toEqual(['iVBORw==', 'iVBORw==']);
    expect((await open.run('1')).results).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a failing repr fails the step and not the kernel', async () => {
  await using open = await openKernel('python');
  const { end, error } = await open.run('class Bad:\n    def __repr__(self): raise KeyError("nope")\nBad()');
  expect([end.status, error?.name]).toEqual(['failed', 'KeyError']);
  expect((await open.run('class Mute(Exception):\n    __str__ = None\nraise Mute()')).error?.name).toBe('Mute');
  expect((await open.run('1 + 1')).shown).toBe('2');
});

test('a result that is too large for a message is cut, and the kernel lives', async () => {
  await using open = await openKernel('python');
  const { end, shown } = await open.run('"x" * 40_000_000');
  expect(end.status).toBe('succeeded');
  expect(String(shown)).toMatch(/^'x{1000}[\s\S]*more characters\)$/);
  expect((await open.run('raise ValueError("y" * 40_000_000)')).error?.message.length).toBeLessThan(100_000);
});

test('tracebacks are those that Python prints, with the source of every step', async () => {
  await using open = await openKernel('python');
  await open.run('def divide(by):\n    return 1 / by');
  const { error } = await open.run(
    'try:\n    divide(0)\nexcept ZeroDivisionError as e:\n    raise RuntimeError("worse") from e',
  );
  const text = error?.traceback.filter((line) => !/^\s*[~^]+$/.test(line)).join('\n');
  expect(text).toBe(`Traceback (most recent call last):
  File "<step 2>", line 2, in <module>
    divide(0)
  File "<step 1>", line 2, in divide
    return 1 / by
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<step 2>", line 4, in <module>
    raise RuntimeError("worse") from e
RuntimeError: worse`);
  const invalid = await open.run('x = 1\ny = = 2');
  expect(invalid.error?.traceback.slice(0, 2)).toEqual(['  File "<step 3>", line 2', '    y = = 2']);
});

test('pickle and inspect work on the definitions of steps', async () => {
  await using open = await openKernel('python');
  await open.run('class Point:\n    def __init__(self, x): self.x = x\ndef make():\n    return Point(1)');
  expect((await open.run('import pickle; pickle.loads(pickle.dumps(Point(3))).x')).shown).toBe('3');
  expect((await open.run('import inspect; inspect.getsource(make).splitlines()[0]')).shown).toBe("'def make():'");
  expect((await open.run('__name__')).shown).toBe("'__main__'");
});

test('a step finds modules of the working directory, also if the kernel has one of the same name', async () => {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  await using open = await openKernel('python', { cwd: folder });
  try {
    writeFileSync(join(folder, 'streams.py'), 'mine = 1\n');
    expect((await open.run('import streams; streams.mine')).shown).toBe('1');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a forked child ends when the step ends and leaves the rest to its parent', async () => {
  await using open = await openKernel('python');
  const { stdout, results, end } = await open.run(
    'import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint("child" if pid == 0 else "parent")\n5',
  );
  expect([stdout, results.length, end.status]).toEqual(['child\nparent\n', 1, 'succeeded']);
  expect((await open.run('pid > 0')).shown).toBe('True');
});

test('input raises EOFError in a step without input', async () => {
  await using open = await openKernel('python');
  expect((await open.run('input("name? ")')).error?.name).toBe('EOFError');
});

test('sys.stdout works again after a step has closed it', async () => {
  await using open = await openKernel('python');
  await open.run('import sys; sys.stdout.close()');
  expect((await open.run('print("back")')).stdout).toBe('back\n');
});

test('lone surrogates become characters that UTF-8 can hold', async () => {
  await using open = await openKernel('python');
  expect((await open.run('print("a\\ud800b")')).stdout).toBe('a\\ud800b\n');
  expect((await open.run('raise ValueError("a\\ud800b")')).error?.message).toBe('a?b');
});

test('symbols have kind, type, preview, size and the step that bound them, and none of their code runs', async () => {
  await using open = await openKernel('python');
  await open.run(`
import json
numbers = list(range(1000))
def add(a, b): return a + b
class Box:
    def __repr__(self): raise SystemExit
box = Box()
text = "x" * 1000`);
  const before = await open.symbol('numbers');
  expect(before).toMatchObject({ kind: 'variable', type: 'list', size: 1000, preview: '[0, 1, 2, 3, 4, …]' });
  expect(await open.symbol('json')).toMatchObject({ kind: 'module' });
  expect(await open.symbol('add')).toMatchObject({ kind: 'function' });
  expect(await open.symbol('Box')).toMatchObject({ kind: 'class' });
  expect(await open.symbol('box')).toMatchObject({ kind: 'variable', type: 'Box', preview: '<Box>', size: null });
  expect((await open.symbol('text'))?.preview.length).toBeLessThan(100);
  await open.run('numbers = [1]');
  expect((await open.symbol('numbers'))?.stepId).not.toBe(before?.stepId);
  expect((await open.symbol('add'))?.stepId).toBe(before?.stepId);
  await open.run('del numbers');
  expect(await open.symbol('numbers')).toBeUndefined();
});

test('values that resist inspection harm neither the kernel nor its state', async () => {
  await using open = await openKernel('python');
  const hostile = `
import threading, types
class Meta(type):
    __hash__ = None
    def __eq__(self, other): raise SystemExit
    def __getattribute__(self, name): raise SystemExit
class Hostile:
    @property
    def __class__(self): raise SystemExit
    def __len__(self): raise SystemExit
    def __getattribute__(self, name): raise SystemExit
Twice = types.new_class('Twice', (), {'metaclass': Meta})
hostile, twice, nested = Hostile(), object.__new__(Twice), [{1: Hostile()}]
globals()[3] = hostile
wide = 'U000e0001' * 300
kept = 7`;
  expect((await open.run(hostile)).error).toBeUndefined();
  const symbols = await open.kernel.symbols();
  expect(symbols.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['hostile', 'twice', 'Twice', 'nested', 'wide', 'kept']),
  );
  expect((await open.run('kept')).shown).toBe('7');
});

test('names that Python itself makes in the namespace are not among the symbols', async () => {
  await using open = await openKernel('python');
  const code = 'import warnings\nwarnings.warn("once")\nkept: int = 7\nif kept:\n    other: int = 8';
  expect((await open.run(code)).end.status).toBe('succeeded');
  expect((await open.kernel.symbols()).map(({ name }) => name).sort()).toEqual(['kept', 'other', 'warnings']);
});

test('names that a thread binds and removes all the time harm neither the kernel nor its state', async () => {
  await using open = await openKernel('python');
  await open.run(`
import sys, threading
sys.setswitchinterval(1e-6)
def bind():
    n = 0
    while True:
        n += 1
        globals()['n%d' % (n % 999)] = n
        globals().pop('n%d' % ((n * 7) % 999), None)
for _ in range(3): threading.Thread(target=bind, daemon=True).start()
kept = 8`);
  for (let round = 0; round < 20; round++) {
    await open.run('1');
    expect(Array.isArray(await open.kernel.symbols())).toBe(true);
  }
  expect((await open.run('kept')).shown).toBe('8');
});
