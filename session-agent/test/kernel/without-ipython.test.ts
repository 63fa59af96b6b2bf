import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { type PythonWithLibrary, pythonWithLibrary } from '../support/python-with-library.ts';

let library: PythonWithLibrary;
beforeAll(async () => {
  library = await pythonWithLibrary();
});
afterAll(() => library?.[Symbol.dispose]());

const openWithout = (): Promise<OpenKernel> => openKernel('python', { config: { python: library.python } });

test('values are shown by their reprs and display methods', async () => {
  await using open = await openWithout();
  expect((await open.run('[{3, 1}, "x" * 90]')).shown).toBe(`[{1, 3}, '${'x'.repeat(90)}']`);
  const { results } = await open.run(`
class Rich:
    def __repr__(self): return 'rich'
    def _repr_html_(self): return '<b>'
display(Rich(), 5)
Rich()`);
  expect(results.map(({ data, isMain }) => [data, isMain])).toEqual([
    [{ 'text/plain': 'rich', 'text/html': '<b>' }, false],
    [{ 'text/plain': '5' }, false],
    [{ 'text/plain': 'rich', 'text/html': '<b>' }, true],
  ]);
  expect((await open.run('_, Out[1] is _1')).shown).toBe('(rich, True)');
});

test.for(['!ls', 'x = !ls', '%matplotlib inline', '%%bash\nls', 'len?', 'x = %time 1'])(
  'an error names the package that %j needs',
  async (code) => {
    await using open = await openWithout();
    const { error } = await open.run(code);
    expect(error?.name).toBe('SyntaxError');
    expect(error?.message).toContain("it needs the package 'ipython'");
  },
);

test('Python goes on with an IPython that cannot be loaded, and errors say why', async () => {
  await using open = await openWithout();
  await open.run(`
import os, sys, tempfile
folder = tempfile.mkdtemp()
os.mkdir(folder + '/IPython')
open(folder + '/IPython/__init__.py', 'w').write('raise ValueError("too old")')
sys.path.insert(0, folder)`);
  expect((await open.run('[{3, 1}]')).shown).toBe('[{1, 3}]');
  expect((await open.run('!ls')).error?.message).toContain('cannot be used: ValueError: too old');
  expect((await open.run('display({1})')).results).toHaveLength(1);
});

test('get_ipython names the package, and code that looks for a shell finds none', async () => {
  await using open = await openWithout();
  expect((await open.run('get_ipython()')).error?.message).toContain("it needs the package 'ipython'");
  expect((await open.run('try: get_ipython()\nexcept NameError: print("none")')).stdout).toBe('none\n');
  expect((await open.run('x = (')).error?.message).not.toContain('ipython');
});

test('a figure as the last value is an image, once in the step that made it and again in a later one', async () => {
  await using open = await openWithout();
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
  const left = await open.run('make(); 1');
  expect(left.results.map(({ data }) => data)).toEqual([{ 'text/plain': '1' }, figure]);
});

test('typed code is complete as in IPython: a block ends with an empty line', async () => {
  await using open = await openWithout();
  for (const [code, status, indent = ''] of typed) {
    expect([code, await open.kernel.parse(code)]).toEqual([code, { status, indent }]);
  }
});

const typed = [
  ['x = 1', 'complete'],
  ['if x: y = 1', 'complete'],
  ['text = """\n  abc"""', 'complete'],
  ['if x:\n    y()\n', 'complete'],
  ['if x:\n    y()\n\nz()', 'complete'],
  ['await x', 'complete'],
  ['', 'complete'],
  ['f(1,', 'incomplete', ''],
  ['if x:', 'incomplete', '    '],
  ['if x:\n    y()', 'incomplete', '    '],
  ['if x:\n    y(); z()', 'incomplete', '    '],
  ['if x:\n    y()\n\n    z()', 'incomplete', '    '],
  ['try:\n  y()\nexcept E:\n  z()', 'incomplete', '  '],
  ['x y', 'invalid'],
] as const;
