import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import { eventsOfStep, type SeenEvent } from '../support/step-events.ts';
import { outline } from './figures.ts';

const { python, missing } = await pythonWithPackages('plots');
const plotly = 'application/vnd.plotly.v1+json';

describe.skipIf(missing)(`plotting libraries${missing ? `: ${missing}` : ''}`, { timeout: 120_000 }, () => {
  let open: OpenKernel;
  beforeAll(async () => {
    open = await openKernel('python', { config: { python } });
  });
  afterAll(() => open[Symbol.asyncDispose]());

  const run = async (code: string, kernel = open.kernel) => {
    const { events, end } = await eventsOfStep(kernel, code);
    if (end.status !== 'succeeded') throw new Error(outline(events).join('\n').slice(0, 1000));
    return events;
  };
  const shown = (events: readonly SeenEvent[], mime: string) =>
    events.flatMap((event) => (event.type === 'result' && mime in event.data ? [event.data[mime]] : []));

  test('a number of numpy is shown as IPython shows it, and builds no shell', async () => {
    await using fresh = await openKernel('python', { config: { python } });
    const code = 'import numpy as np\nfrom holdfast_kernel.notebook import open_shell as o';
    await fresh.run(code);
    const texts = async () => [(await fresh.run('np.int64(3)')).shown, (await fresh.run('np.float64(0.1)')).shown];
    const without = await texts();
    expect((await fresh.run('o.shell is None')).shown).toBe('True');
    await fresh.run('get_ipython()');
    expect(await texts()).toEqual(without);
    expect((await fresh.run('o.shell is None')).shown).toBe('False');
  });

  test('plotly shows a figure by its MIME type, with show and as last value, in order with the prints', async () => {
    await run('import plotly.graph_objects as go\nfig = go.Figure(go.Bar(y=[1, 2]))');
    const byShow = await run('print("before")\nfig.show()\nprint("after")');
    expect([outline(byShow)[0], outline(byShow).at(-1)]).toEqual(['before\n', 'after\n']);
    const asValue = await run('fig');
    for (const events of [byShow, asValue])
      expect(shown(events, plotly)).toMatchObject([{ data: [{ type: 'bar', y: [1, 2] }] }]);
  });

  test('plotly uses the renderer that the environment names', async () => {
    const env = { PLOTLY_RENDERER: 'plotly_mimetype' };
    await using other = await openKernel('python', { env, config: { python } });
    const define = 'import plotly.express as px\nfig = px.line(x=[1, 2], y=[3, 4])';
    expect(outline(await run(`${define}\nfig.show()\nprint("then")`, other.kernel))).toEqual([plotly, 'then\n']);
    expect(outline(await run('fig', other.kernel))).toEqual([plotly]);
  });

  test('altair shows a chart as its renderer does, with show and as last value', async () => {
    const chart = 'import altair as alt, pandas as pd\nchart = alt.Chart(pd.DataFrame({"a": [1, 2]})).mark_bar()';
    for (const use of ['chart.show()', 'chart']) {
      const [html] = shown(await run(`${chart}\n${use}`), 'text/html');
      expect(html).toMatch(/vega/);
      const [spec] = shown(
        await run(`alt.renderers.enable("mimetype")\n${use}`),
        'application/vnd.vegalite.v6.json',
      ) as [object];
      expect(spec).toMatchObject({ mark: { type: 'bar' } });
      await run('alt.renderers.enable("default");');
    }
  });

  test('bokeh loads itself once and shows a plot in its place', async () => {
    const load = await run(
      'from bokeh.plotting import figure, show\nfrom bokeh.io import output_notebook\noutput_notebook()',
    );
    expect(shown(load, 'application/vnd.bokehjs_load.v0+json')).toHaveLength(1);
    const events = await run('p = figure()\nline = p.line([1, 2], [3, 4])\nprint("before")\nshow(p)\nprint("after")');
    expect([outline(events)[0], outline(events).at(-1)]).toEqual(['before\n', 'after\n']);
    expect(shown(events, 'application/vnd.bokehjs_exec.v0+json')).toHaveLength(1);
    expect(shown(events, 'application/javascript').join()).toContain('docs_json');
  });

  test('bokeh changes a plot that is shown, by a comm', async () => {
    await run('from bokeh.io import push_notebook\nhandle = show(p, notebook_handle=True)');
    const events = await run('line.data_source.data = {"x": [1, 2], "y": [9, 9]}\npush_notebook(handle=handle)');
    const sent = events.flatMap((event) => (event.type === 'comm' ? [JSON.stringify(event)] : []));
    expect(sent.join()).toContain('ColumnDataChanged');
  });

  test('libraries that ask for the shell find a notebook', async () => {
    const events = await run(`
from IPython import get_ipython
shell = get_ipython()
print(type(shell).__name__, 'IPKernelApp' in shell.config, shell.kernel.get_parent()['header']['msg_id'][:4])`);
    expect(outline(events)).toEqual(['ZMQInteractiveShell True stp_\n']);
  });
});
