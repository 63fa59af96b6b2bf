import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { eventsOfStep } from '../support/step-events.ts';
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

test('a class that cannot be hashed fails its step, and the kernel stays', async () => {
  await using open = await openKernel('python');
  const { error } = await open.run(`
class Meta(type):
    __hash__ = None
    def __eq__(self, other): raise SystemExit
class Odd(metaclass=Meta): pass
[Odd, Odd()]`);
  expect([error?.name, error?.message]).toEqual(['TypeError', "unhashable type: 'Meta'"]);
  expect((await open.run('1 + 1')).shown).toBe('2');
});

test('Out holds the last thousand shown values, and an older value leaves no name behind', async () => {
  await using open = await openKernel('python');
  await open.run('import weakref\nclass Value: pass\nvalue = Value()\ngone = weakref.ref(value)\nvalue');
  await open.run('_3 = "mine"; del value');
  expect((await open.run('gone() is _1 is Out[1]')).shown).toBe('True');
  for (let n = 4; n <= 1004; n++) await open.run(`${n}`);
  const code = 'print(len(Out), min(Out), "_1" in globals(), _3, gone() is None)';
  expect((await open.run(code)).stdout).toBe('1000 5 False mine True\n');
});

test('names of shown values do not count as symbols until a step binds them', async () => {
  await using open = await openKernel('python');
  await open.run('5');
  expect(await open.kernel.symbols()).toEqual([]);
  await open.run('_ = "mine"\n_1 = 2\nOut = 3');
  expect((await open.kernel.symbols()).map(({ name }) => name)).toEqual(['Out', '_', '_1']);
  await open.run('7');
  expect((await open.run('_, _1, Out, _4')).shown).toBe(undefined);
  expect((await open.run('_, _1, Out')).shown).toBe("('mine', 2, 3)");
});

test('a failing display method is an error when display() is called, and the code goes on and succeeds', async () => {
  await using open = await openKernel('python');
  const { end, results, stdout, error } = await open.run(`
class Half:
    def __repr__(self): return 'half'
    def _repr_html_(self): raise RuntimeError('no html')
display(Half())
print('on')`);
  expect([end.status, stdout]).toEqual(['succeeded', 'on\n']);
  expect(results.map(({ data }) => data)).toEqual([{ 'text/plain': 'half' }]);
  const traceback = error?.traceback.join('\n');
  expect(traceback).toMatch(/^Traceback [\s\S]*File "<step 1>", line 4, in _repr_html_[\s\S]*RuntimeError: no html$/);
  expect(traceback).not.toContain('holdfast_kernel');
});

test('nbformat is there, without which plotly shows no figure', async () => {
  await using open = await openKernel('python');
  const code = 'import nbformat\nnbformat.validate({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})';
  expect((await open.run(code)).end.status).toBe('succeeded');
});

test('an error that code catches and shows does not fail the step', async () => {
  await using open = await openKernel('python');
  const { end, stdout, error } = await open.run(`
import sys
print('before')
try: 1 / 0
except ZeroDivisionError: get_ipython().showtraceback(sys.exc_info())
print('behind')`);
  expect([end.status, stdout, error?.name]).toEqual(['succeeded', 'before\nbehind\n', 'ZeroDivisionError']);
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
  const { events } = await eventsOfStep(open.kernel, 'handle = display(1, display_id="mine")\nhandle.update(2)');
  expect(events).toEqual([
    { type: 'result', displayId: 'mine', data: { 'text/plain': '1' }, metadata: {}, isMain: false },
    { type: 'result_update', displayId: 'mine', data: { 'text/plain': '2' }, metadata: {} },
  ]);
  const later = await eventsOfStep(open.kernel, 'handle.update(3)');
  expect(later.events).toMatchObject([{ type: 'result_update', displayId: 'mine', data: { 'text/plain': '3' } }]);
});

test('every expression of a step is shown if the shell is set to show all', async () => {
  await using open = await openKernel('python');
  await open.run(
    'from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.ast_node_interactivity = "all"',
  );
  const { results } = await open.run('1\nx = 2\nx\n"quiet";\nx + 1');
  expect(results.map(({ data }) => data['text/plain'])).toEqual(['1', '2', "'quiet'", '3']);
});
