import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type ExpressionResult, newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { notebookEnvironment } from './environment.ts';

type Cell = { code: string; silent: boolean; expressions: Record<string, string> };

const cells: Cell[] = [
  { code: 'import pandas as pd\nframe = pd.DataFrame({"a": [1, 2]})', silent: false, expressions: {} },
  {
    code: 'x = 6',
    silent: false,
    expressions: {
      number: 'x * 7',
      text: '"é" * 3',
      nothing: 'None',
      frame: 'frame',
      long: 'list(range(60))',
      'any name': ' x ',
      missing: 'y',
      raised: '1 / 0',
      statement: 'z = 1',
      shown: 'display(x)',
    },
  },
  { code: 'hidden = 1', silent: true, expressions: { hidden: 'hidden' } },
  { code: '1 / 0', silent: false, expressions: { none: 'x' } },
  { code: '"last"', silent: false, expressions: { inputs: 'In[2:]', outputs: 'sorted(Out)', last: '_' } },
];

test('expressions have the values that a stock kernel gives to user_expressions, also around a silent step', async () => {
  const environment = await notebookEnvironment();
  const script = join(import.meta.dirname, 'run_expressions.py');
  const stock = spawnSync(environment.python, [script], { input: JSON.stringify(cells), encoding: 'utf8' });
  await using open = await openKernel('python', { config: environment });
  const here: Record<string, object>[] = [];
  for (const { code, silent: isSilent, expressions } of cells) {
    const values: Record<string, object> = {};
    const none = () => {};
    const expression = (name: string, value: ExpressionResult) => {
      values[name] = 'error' in value ? { error: [value.error.name, value.error.message] } : { data: value.data };
    };
    const sink = { output: none, result: none, error: none, comm: none, inputRequest: none, expression };
    await open.kernel.execute({ stepId: newId('stp'), code, isSilent, expressions }, sink);
    here.push(values);
  }
  expect(here).toEqual(JSON.parse(stock.stdout));
}, 300_000);
