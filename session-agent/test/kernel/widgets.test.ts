import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFrontEnd } from '../support/front-end.ts';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import type { SeenEvent } from '../support/step-events.ts';
import { until } from '../support/until.ts';

const { python, missing } = await pythonWithPackages('widgets');
const textOf = (events: readonly SeenEvent[]) =>
  events
    .map((event) => {
      if (event.type === 'stdout' || event.type === 'stderr') return event.text;
      return event.type === 'result' ? `${event.data['text/plain']}\n` : '';
    })
    .join('');

describe.skipIf(missing)(`ipywidgets${missing ? `: ${missing}` : ''}`, () => {
  let open: OpenKernel;
  let frontEnd: ReturnType<typeof createFrontEnd>;
  beforeEach(async () => {
    open = await openKernel('python', { config: { python } });
    frontEnd = createFrontEnd(open);
    await frontEnd.run('import ipywidgets as widgets');
  });
  afterEach(() => open[Symbol.asyncDispose]());

  test('a slider is shown by its model, and a person who moves it changes its value and runs its observers', async () => {
    const { events } = await frontEnd.run('slider = widgets.IntSlider(value=3, max=10)\nslider');
    const id = frontEnd.modelOf('IntSliderModel');
    expect(frontEnd.models.get(id)).toMatchObject({ value: 3, max: 10 });
    const view = 'application/vnd.jupyter.widget-view+json';
    expect(events.at(-1)).toMatchObject({ type: 'result', isMain: true, data: { [view]: { model_id: id } } });
    await frontEnd.run('slider.observe(lambda change: (print("now", change.new), display(change.old)), "value")');
    const moved = await frontEnd.change(id, { value: 7 });
    expect(moved.events).toMatchObject([
      { type: 'comm', commId: id, data: { method: 'echo_update', state: { value: 7 } } },
      { type: 'stdout', text: 'now 7\n' },
      { type: 'result', data: { 'text/plain': '3' } },
    ]);
    expect(textOf((await frontEnd.run('slider.value')).shown)).toBe('7\n');
    await frontEnd.run('slider.value = 2');
    expect(frontEnd.models.get(id)).toMatchObject({ value: 2 });
  });

  test('Output captures what is printed and shown in it, and nothing else', async () => {
    const { shown } = await frontEnd.run(`
out = widgets.Output()
print("before")
with out:
    print("inside")
    display(1)
    import sys; print("errors too", file=sys.stderr)
print("after")`);
    expect(textOf(shown)).toBe('before\nafter\n');
    expect(textOf(frontEnd.output(frontEnd.modelOf('OutputModel')))).toBe('inside\n1\nerrors too\n');
  });

  test('Output captures an error in it, and the code behind it goes on', async () => {
    const { shown, end } = await frontEnd.run('out = widgets.Output()\nwith out:\n    1 / 0\nprint("after")');
    expect([textOf(shown), end.status]).toEqual(['after\n', 'succeeded']);
    const captured = frontEnd.output(frontEnd.modelOf('OutputModel'));
    expect(captured).toMatchObject([{ type: 'error', message: 'division by zero' }]);
  });

  test('Output captures the output of a click on a button', async () => {
    await frontEnd.run(`
out = widgets.Output()
button = widgets.Button()
@button.on_click
@out.capture()
def clicked(_):
    print("clicked")`);
    const clicked = await frontEnd.click(frontEnd.modelOf('ButtonModel'));
    expect([clicked.end.status, clicked.shown]).toEqual(['succeeded', []]);
    expect(textOf(frontEnd.output(frontEnd.modelOf('OutputModel')))).toBe('clicked\n');
  });

  test('Output is cleared, at once or with the next output', async () => {
    await frontEnd.run('out = widgets.Output()\nwith out: print("one")');
    const id = frontEnd.modelOf('OutputModel');
    await frontEnd.run('out.clear_output()');
    expect(frontEnd.output(id)).toEqual([]);
    await frontEnd.run('with out: print("two")');
    await frontEnd.run('out.clear_output(wait=True)');
    expect(textOf(frontEnd.output(id))).toBe('two\n');
    await frontEnd.run('with out: print("three")');
    expect(textOf(frontEnd.output(id))).toBe('three\n');
  });

  test('interact calls its function anew and shows its latest output alone', async () => {
    await frontEnd.run('@widgets.interact(x=(0, 5))\ndef double(x):\n    print("double of", x)\n    return 2 * x');
    const output = () => textOf(frontEnd.output(frontEnd.modelOf('OutputModel')));
    expect(output()).toBe('double of 2\n4\n');
    const { end } = await frontEnd.change(frontEnd.modelOf('IntSliderModel'), { value: 4 });
    expect([end.status, output()]).toEqual(['succeeded', 'double of 4\n8\n']);
  });

  test('a handler that fails fails its step, and the widget goes on', async () => {
    await frontEnd.run('button = widgets.Button()\nbutton.on_click(lambda _: 1 / 0)');
    const id = frontEnd.modelOf('ButtonModel');
    for (const _ of [1, 2]) {
      const { end, events } = await frontEnd.click(id);
      expect(end.status).toBe('failed');
      expect(events).toMatchObject([{ type: 'error', message: 'division by zero' }]);
    }
  });

  test('a front end that joins later gets the states of all widgets', async () => {
    await frontEnd.run('slider = widgets.IntSlider(value=3)');
    const opening = { kind: 'open', targetName: 'jupyter.widget.control', metadata: { version: '1.0.0' } } as const;
    await frontEnd.message('control', {}, opening);
    const { events } = await frontEnd.message('control', { method: 'request_states' });
    const id = frontEnd.modelOf('IntSliderModel');
    expect(events).toMatchObject([
      { commId: 'control', data: { method: 'update_states', states: { [id]: { state: { value: 3 } } } } },
    ]);
  });

  test('binary values come as buffers', async () => {
    const { events } = await frontEnd.run('widgets.Image(value=bytes(range(256)), format="png")');
    const image = events.find((event) => event.type === 'comm' && event.buffers.length > 0);
    const buffers = [Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('base64')];
    expect(image).toMatchObject({ data: { buffer_paths: [['value']] }, buffers });
  });

  test('a progress bar moves while its code runs, and in a thread that outlives the step', async () => {
    const { events } = await frontEnd.run(`
import threading
bar = widgets.IntProgress(max=3)
for n in range(1, 4):
    bar.value = n
    print(n)
go = threading.Event()
def work():
    go.wait()
    bar.value = 0
thread = threading.Thread(target=work)
thread.start()`);
    const steps = events.slice(events.findIndex(({ type }) => type === 'stdout') - 1);
    expect(steps).toMatchObject([
      { type: 'comm', data: { state: { value: 1 } } },
      { type: 'stdout', text: '1\n' },
      { type: 'comm', data: { state: { value: 2 } } },
      { type: 'stdout', text: '2\n' },
      { type: 'comm', data: { state: { value: 3 } } },
      { type: 'stdout', text: '3\n' },
    ]);
    await frontEnd.run('go.set(); thread.join()');
    await until('the message of the thread', () => open.backgroundComms.length > 0);
    expect(open.backgroundComms).toMatchObject([{ message: { data: { state: { value: 0 } } } }]);
  });
});
