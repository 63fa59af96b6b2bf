import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createInstallation } from '../support/installation.ts';
import { createPython } from '../support/packages/python-environments.ts';

const run = promisify(execFile);
const besideThis = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A Python with Jupyter's own kernel, and with what the session's kernel uses. */
async function pythonWithJupyter(folder: string): Promise<string> {
  const python = await createPython(join(folder, 'jupyter'), { pip: true });
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-deps'];
  await run(python, ['-m', 'pip', 'install', ...quietly, '--requirement', besideThis('jupyter-requirements.txt')]);
  await run(python, ['-m', 'ipykernel', 'install', '--prefix', join(folder, 'jupyter')]);
  return python;
}

const steps = [
  'import math, random, sys\nrandom.seed(3); print("a"); print("b", file=sys.stderr)',
  'class A:\n  def __repr__(self): return "A!"\n  def _repr_html_(self): return "<b>A</b>"\nA()',
  'from IPython.display import display, clear_output, HTML\ndisplay(HTML("<i>x</i>")); display(A())',
  'h = display(A(), display_id=True); h.update(HTML("new"))',
  'for i in range(3):\n  clear_output(wait=True); print(i)',
  'undefined_name',
  '[random.random() for _ in range(3)]',
  '%%bash\necho hi',
  'print("no line end", end="")\n{"a": [1]}',
  'await __import__("asyncio").sleep(0)\nmath.pi',
];

test('an exported notebook is valid, and gives the same outputs in a fresh kernel of Jupyter', async () => {
  await using installation = await createInstallation();
  const python = await pythonWithJupyter(installation.dataDir);
  const holdfast = await installation.start({ HOLDFAST_PYTHON: python });
  const { id } = await holdfast.createSession();
  for (const code of steps) await holdfast.runStep(id, { code });
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}/export`);
  const notebook = join(installation.dataDir, 'exported.ipynb');
  await writeFile(notebook, JSON.stringify(body));
  const { stdout } = await run(python, [besideThis('run-notebook.py'), notebook]);
  const outputs = JSON.parse(stdout);
  expect(outputs.run.filter((cell: unknown[]) => cell.length > 0)).toHaveLength(steps.length);
  expect(outputs.exported).toEqual(outputs.run);
}, 300_000);
