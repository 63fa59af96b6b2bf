import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import { eventsOfStep } from '../support/step-events.ts';
import { type Figures, outline, startFigures } from './figures.ts';

const { python, missing } = await pythonWithPackages('plots');
const rising = { code: 'plt.figure(); plt.plot([1, 2, 3]); plt.title("rising");', lines: 1 };
const falling = { code: 'plt.figure(figsize=(3, 2)); plt.plot([3, 2, 1], "r--"); plt.title("falling");', lines: 1 };
const png = 'image/png';

describe.skipIf(missing)(`figures${missing ? `: ${missing}` : ''}`, { timeout: 120_000 }, () => {
  let open: OpenKernel;
  let figures: Figures;
  beforeAll(async () => {
    figures = startFigures(python);
    open = await openKernel('python', { config: { python } });
    await open.run('import asyncio, threading, matplotlib.pyplot as plt');
  }, 120_000);
  afterEach(async () => {
    const { shown } = await open.run('(plt.get_fignums(), plt.close("all"), plt.rcdefaults(), plt.ion())[0]');
    expect(shown).toBe('[]');
  });
  afterAll(async () => {
    figures.end();
    await open[Symbol.asyncDispose]();
  });

  const run = (code: string) => eventsOfStep(open.kernel, code);

  test('two shows are two pictures with one line each, in order with the prints', async () => {
    const { events, end } = await run(`
print("one")
plt.plot([1, 2, 3]); plt.title("rising")
plt.show()
print("two")
plt.figure(figsize=(3, 2)); plt.plot([3, 2, 1], "r--"); plt.title("falling")
plt.show()
print("three")`);
    expect(end.status).toBe('succeeded');
    expect(outline(events)).toEqual(['one\n', png, 'two\n', png, 'three\n']);
    await figures.expect(events[1], rising);
    await figures.expect(events[3], falling);
  });

  test('a show of two open figures shows both', async () => {
    const { events } = await run(`${rising.code}\n${falling.code}\nplt.show()\nprint("then")`);
    expect(outline(events)).toEqual([png, png, 'then\n']);
    await figures.expect(events[0], rising);
    await figures.expect(events[1], falling);
  });

  test('figures that are left open are shown at the end, behind the value', async () => {
    const { events } = await run(`${rising.code}\n${falling.code}\n1 + 1`);
    expect(outline(events)).toEqual(['2', png, png]);
    await figures.expect(events[1], rising);
    await figures.expect(events[2], falling);
  });

  test('a figure that is left open by code that fails is shown', async () => {
    const { events } = await run(`${rising.code}\nprint("before")\n1 / 0`);
    expect(outline(events)).toHaveLength(3);
    const [before, ...others] = events;
    expect(before).toMatchObject({ text: 'before\n' });
    await figures.expect(
      others.find(({ type }) => type === 'result'),
      rising,
    );
    expect(others.find(({ type }) => type === 'error')).toMatchObject({ message: 'division by zero' });
  });

  test('a figure as the value of a step is shown once, and again with what was added to it', async () => {
    const first = await run('figure, axes = plt.subplots()\naxes.plot([1, 2, 3])\nfigure');
    expect(outline(first.events)).toEqual([png]);
    await figures.expect(first.events[0], { code: 'plt.plot([1, 2, 3])', lines: 1 });
    const second = await run('axes.plot([3, 2, 1])\nfigure');
    expect(outline(second.events)).toEqual([png]);
    await figures.expect(second.events[0], { code: 'plt.plot([1, 2, 3]); plt.plot([3, 2, 1])', lines: 2 });
    await run('plt.close("all")');
  });

  test('a figure that is displayed comes in its place', async () => {
    const { events } = await run(
      `${falling.code}\nprint("before")\ndisplay(plt.gcf())\nprint("after")\nplt.close(plt.gcf())`,
    );
    expect(outline(events)).toEqual(['before\n', png, 'after\n']);
    await figures.expect(events[1], falling);
  });

  test('a closed figure is not shown', async () => {
    const { events } = await run(`${falling.code}\nplt.close()\n${rising.code}\nplt.figure(); plt.close("all")`);
    expect(outline(events)).toEqual([]);
  });

  test('a figure that is left open after plt.ioff is not shown, as in Jupyter', async () => {
    expect(outline((await run(`plt.ioff()\n${rising.code}`)).events)).toEqual([]);
    const { events } = await run('plt.show()');
    expect(outline(events)).toEqual([png]);
    await figures.expect(events[0], rising);
  });

  test.each(['ion', 'ioff'])('shows in its place and once after plt.%s', async (mode) => {
    const { events } = await run(`plt.${mode}()\n${rising.code}\nplt.show()\nprint("then")`);
    expect(outline(events)).toEqual([png, 'then\n']);
    await figures.expect(events[0], rising);
  });

  test.each([
    ['%config with a list', (format: string) => `%config InlineBackend.figure_formats = ['${format}']`],
    ['%config with a single format', (format: string) => `%config InlineBackend.figure_format = '${format}'`],
    [
      'set_matplotlib_formats',
      (format: string) => `import matplotlib_inline as m; m.backend_inline.set_matplotlib_formats('${format}')`,
    ],
  ])('shows SVG after %s, and PNG again', async (_, choose) => {
    const svg = await run(`${choose('svg')}\n${falling.code}\nplt.show()\nprint("then")`);
    expect(outline(svg.events)).toEqual(['image/svg+xml', 'then\n']);
    await figures.expect(svg.events[0], { ...falling, format: 'svg' });
    const plain = await run(`${choose('png')}\n${falling.code}`);
    expect(outline(plain.events)).toEqual([png]);
    await figures.expect(plain.events[0], falling);
  });

  test('shows twice the resolution as retina, and says the size in which to show it', async () => {
    const { events } = await run(`%config InlineBackend.figure_format = 'retina'\n${falling.code}`);
    await run("%config InlineBackend.figure_format = 'png'");
    expect(outline(events)).toEqual([png]);
    await figures.expect(events[0], { ...falling, format: 'retina' });
    const [event] = events;
    if (event?.type !== 'result') throw new Error('no picture');
    const bytes = Buffer.from(String(event.data[png]), 'base64');
    // Width and height are the first fields of a PNG's IHDR chunk.
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    expect(event.metadata[png]).toEqual({ width: width >> 1, height: height >> 1 });
  });

  test.each(['import matplotlib; matplotlib.use("Agg")', 'plt.switch_backend("agg")'])(
    'shows figures in their place after %s, keeps those that are open, and writes files',
    async (choose) => {
      const shown = await run(`${choose}\nprint("one")\n${rising.code}\nplt.show()\nprint("two")\n${falling.code}`);
      expect(outline(shown.events)).toEqual(['one\n', png, 'two\n']);
      await figures.expect(shown.events[1], rising);
      const later = await run(
        'import os; plt.savefig("falling.png"); plt.show(); print(os.path.getsize("falling.png") > 1000)',
      );
      expect(outline(later.events)).toEqual([png, 'True\n']);
      await figures.expect(later.events[0], falling);
      await run('import os; os.remove("falling.png"); plt.switch_backend("module://matplotlib_inline.backend_inline")');
    },
  );

  test('settings of the code hold: %matplotlib inline, rcParams and styles', async () => {
    const settings = "plt.rcParams['figure.dpi'] = 50; plt.style.use('ggplot')";
    const { events } = await run(`%matplotlib inline\n${settings}\n${rising.code}`);
    expect(outline(events)).toEqual([png]);
    await figures.expect(events[0], { code: `${settings}\n${rising.code}`, lines: 1 });
  });

  test('shows a figure that a thread shows, in its place', async () => {
    const { events, end } = await run(`
def draw():
    ${falling.code}
    plt.show()
    print("drawn")
thread = threading.Thread(target=draw); thread.start(); thread.join()
print("joined")`);
    expect(end.status).toBe('succeeded');
    expect(outline(events)).toEqual([png, 'drawn\njoined\n']);
    await figures.expect(events[0], falling);
  });

  test('shows a figure that a thread has left open at the end of the step', async () => {
    const { events } = await run(`
def draw():
    ${falling.code}
thread = threading.Thread(target=draw); thread.start(); thread.join()`);
    expect(outline(events)).toEqual([png]);
    await figures.expect(events[0], falling);
  });

  test('shows figures of code that awaits in their place', async () => {
    const { events } = await run(`print("one")\nawait asyncio.sleep(0)\n${falling.code}\nplt.show()\nprint("two")`);
    expect(outline(events)).toEqual(['one\n', png, 'two\n']);
    await figures.expect(events[1], falling);
  });

  test('shows the plots of pandas, and the text of their axes', async () => {
    const frame = 'import pandas as pd; df = pd.DataFrame({"a": [1, 3, 2], "b": [3, 1, 2]})';
    const { events } = await run(`${frame}\ndf.plot()`);
    expect(outline(events)).toEqual(['<Axes: >', png]);
    await figures.expect(events[1], { code: `${frame}\ndf.plot()`, lines: 2 });
  });

  test('shows the plots of seaborn', async () => {
    const code = 'import seaborn as sns; sns.lineplot(x=[1, 2, 3], y=[3, 1, 2]);';
    const { events } = await run(`${code}\nprint("then")`);
    expect(outline(events)).toEqual(['then\n', png]);
    await figures.expect(events[1], { code, lines: 1 });
  });
});

test.skipIf(missing)('shows figures in a kernel whose zygote has loaded matplotlib', { timeout: 120_000 }, async () => {
  const figures = startFigures(python);
  await using open = await openKernel('python', { config: { python }, zygote: ['matplotlib.pyplot'] });
  const code = `import matplotlib.pyplot as plt\n${falling.code}\nplt.show()\nprint("then")`;
  const { events } = await eventsOfStep(open.kernel, code);
  expect(outline(events)).toEqual([png, 'then\n']);
  await figures.expect(events[0], falling);
  figures.end();
});
