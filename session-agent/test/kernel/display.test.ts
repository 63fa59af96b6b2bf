import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

test('a value of endless depth or breadth is shown in bounded text', async () => {
  await using open = await openKernel('python');
  const wide = await open.run('rows = [["x" * 900] * 900] * 900\nrows');
  expect(String(wide.shown).length).toBeLessThan(1_100_000);
  expect([String(wide.shown).startsWith("[['xxx"), String(wide.shown).endsWith('… (cut)')]).toEqual([true, true]);
  const deep = await open.run('deep = []\nfor _ in range(300): deep = [deep]\ndeep');
  expect(deep.shown).toBe(`${'['.repeat(301)}${']'.repeat(301)}`);
  const tooDeep = await open.run('for _ in range(200_000): deep = [deep]\ndeep');
  expect([tooDeep.end.status, tooDeep.error?.name]).toEqual(['failed', 'RecursionError']);
  expect((await open.run('for _ in range(200_300): deep = deep[0]\ndeep')).shown).toBe('[]');
});

test('an interrupt stops a value whose text never ends, and the state stays', async () => {
  await using open = await openKernel('python');
  const code = `
kept = 1
class Endless:
    def _repr_pretty_(self, p, cycle):
        print('on and on')
        while True: p.breakable(); p.text('')
Endless()`;
  const { end } = await open.run(code, () => open.kernel.interrupt());
  // Without an interrupt the limit on the text ends it.
  expect(['interrupted', 'succeeded']).toContain(end.status);
  expect((await open.run('kept')).shown).toBe('1');
});

test('classes that cannot be hashed or compared are shown by their names', async () => {
  await using open = await openKernel('python');
  const { shown } = await open.run(`
class Meta(type):
    __hash__ = None
    def __eq__(self, other): raise SystemExit
class Odd(metaclass=Meta): pass
[Odd, Odd()]`);
  expect(shown).toMatch(/^\[__main__\.Odd, <__main__\.Odd at 0x[0-9a-f]+>\]$/);
});

test('Out holds the last hundred shown values, and an older value leaves no name behind', async () => {
  await using open = await openKernel('python');
  await open.run('import weakref\nclass Value: pass\nvalue = Value()\ngone = weakref.ref(value)\nvalue');
  await open.run('_3 = "mine"; del value');
  expect((await open.run('gone() is _1 is Out[1]')).shown).toBe('True');
  for (let n = 4; n <= 104; n++) await open.run(`${n}`);
  const code = 'print(len(Out), min(Out), "_1" in globals(), _3, gone() is None)';
  expect((await open.run(code)).stdout).toBe('100 5 False mine True\n');
});

test('names of shown values do not count as symbols until a step binds them', async () => {
  await using open = await openKernel('python');
  await open.run('5');
  expect(await open.kernel.symbols()).toEqual([]);
  await open.run('_ = "mine"\n_1 = 2\nOut = 3');
  expect((await open.kernel.symbols()).map(({ name }) => name)).toEqual(['_', 'Out', '_1']);
  await open.run('7');
  expect((await open.run('_, _1, Out, _4')).shown).toBe(undefined);
  expect((await open.run('_, _1, Out')).shown).toBe("('mine', 2, 3)");
});

test('a failing display method is reported when display() is called, and the code goes on', async () => {
  await using open = await openKernel('python');
  const { end, results, stdout, stderr } = await open.run(`
class Half:
    def __repr__(self): return 'half'
    def _repr_html_(self): raise RuntimeError('no html')
display(Half())
print('on')`);
  expect([end.status, stdout]).toEqual(['succeeded', 'on\n']);
  expect(results.map(({ data }) => data)).toEqual([{ 'text/plain': 'half' }]);
  expect(stderr).toMatch(/^Traceback [\s\S]*File "<step 1>", line 4, in _repr_html_[\s\S]*RuntimeError: no html\n$/);
  expect(stderr).not.toContain('holdfast_kernel');
});

test('a failing display method of the last value fails the step, and the value is shown', async () => {
  await using open = await openKernel('python');
  const { end, shown, error } = await open.run(
    'class Half:\n    def __repr__(self): return "half"\n    def _repr_html_(self): raise RuntimeError("no html")\nHalf()',
  );
  expect([end.status, shown, error?.name]).toEqual(['failed', 'half', 'RuntimeError']);
});

test('a value that a thread displays after its step is background output of that step', async () => {
  await using open = await openKernel('python');
  const first = await open.run(`
import threading
go, gone = threading.Event(), threading.Event()
def late():
    go.wait()
    display({'late': 1})
    gone.set()
threading.Thread(target=late).start()`);
  const second = await open.run('go.set(); gone.wait(); display("own")');
  expect(second.results.map(({ data }) => data)).toEqual([{ 'text/plain': "'own'" }]);
  await until('the late value', () => open.background(first.stepId) === "{'late': 1}\n");
});

test('a handle shows further values under its name', async () => {
  await using open = await openKernel('python');
  const { results } = await open.run('handle = display(1, display_id="mine")\nhandle.update(2)');
  expect(results.map(({ data, metadata }) => [data['text/plain'], metadata])).toEqual([
    ['1', { displayId: 'mine' }],
    ['2', { displayId: 'mine' }],
  ]);
});

test('the common imports from IPython.display work without IPython', async () => {
  await using open = await openKernel('python');
  await open.run("import sys; sys.path[:] = [path for path in sys.path if 'packages' not in path]");
  const { results, error } = await open.run(`
from IPython.display import display, HTML, Markdown, Image, JSON, clear_output, update_display
from IPython import get_ipython
import IPython.display as d
display(HTML('<b>x</b>'), Markdown('*x*'), Image(b'\\xff\\xd8x', width=5), JSON('{"a": 1}'))
clear_output(wait=True)
d.HTML('<i>y</i>') if get_ipython() is None else None`);
  expect(error).toBeUndefined();
  expect(results.map(({ data, metadata }) => [data, metadata])).toEqual([
    [{ 'text/plain': '<IPython.core.display.HTML object>', 'text/html': '<b>x</b>' }, {}],
    [{ 'text/plain': '<IPython.core.display.Markdown object>', 'text/markdown': '*x*' }, {}],
    [{ 'text/plain': '<IPython.core.display.Image object>', 'image/jpeg': '/9h4' }, { 'image/jpeg': { width: 5 } }],
    [{ 'text/plain': '<IPython.core.display.JSON object>', 'application/json': { a: 1 } }, {}],
    [{ 'text/plain': '<IPython.core.display.HTML object>', 'text/html': '<i>y</i>' }, {}],
  ]);
  expect((await open.run('import IPython.core')).error?.name).toBe('ModuleNotFoundError');
});

test('an installed IPython is used, and its display functions show by the kernel', async () => {
  const cwd = mkdtempSync('/tmp/holdfast-test-');
  try {
    // A minimal stand-in: the display functions of the real package print if no IPython shell runs.
    const files = {
      '__init__.py': '',
      'display.py':
        "from .core.display_functions import display\nclass HTML:\n    def _repr_html_(self): return 'real'\n",
      'core/__init__.py': '',
      'core/display_functions.py': "def display(*values):\n    print('printed')\n",
    };
    mkdirSync(join(cwd, 'IPython', 'core'), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, 'IPython', name), content);
    await using open = await openKernel('python', { cwd });
    const { results, stdout } = await open.run('from IPython.display import display, HTML\ndisplay(HTML())');
    expect([stdout, results.map(({ data }) => data['text/html'])]).toEqual(['', ['real']]);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test('a figure as the last value is an image, once in the step that made it and again in a later one', async () => {
  await using open = await openKernel('python');
  // A stand-in with the few names of matplotlib that matter, so that the library need not be installed.
  await open.run(`
import sys, types
class Figure:
    def __repr__(self): return '<Figure>'
    def savefig(self, file, **options): file.write(b'\\x89PNG')
pyplot, shown = types.ModuleType('matplotlib.pyplot'), {}
def make():
    shown[1] = Figure()
    return shown[1]
pyplot.figure = shown.get
pyplot.get_fignums = lambda: sorted(shown)
pyplot.close = lambda which: shown.clear()
sys.modules['matplotlib.pyplot'] = pyplot
sys.modules['matplotlib.figure'] = types.SimpleNamespace(Figure=Figure)`);
  const figure = { 'text/plain': '<Figure>', 'image/png': 'iVBORw==' };
  const made = await open.run('figure = make()\nfigure');
  expect(made.results.map(({ data, isMain }) => [data, isMain])).toEqual([[figure, true]]);
  const later = await open.run('display(figure)\nfigure');
  expect(later.results.map(({ data }) => data)).toEqual([figure, figure]);
});
