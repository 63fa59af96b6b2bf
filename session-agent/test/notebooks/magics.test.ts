import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Comparison, compare } from './compare.ts';
import { notebookEnvironment } from './environment.ts';
import { knownMagics } from './known-magics.ts';
import { readMagics } from './read-magics.ts';
import { runSubject } from './run.ts';
import { runInHoldfast } from './run-in-holdfast.ts';
import { startStockKernels } from './stock-kernels.ts';

const environment = await notebookEnvironment();
const kernels = startStockKernels(environment);
const subjects = readMagics();
afterAll(() => kernels[Symbol.dispose]());

describe.for(subjects)('Holdfast’s kernel and the stock kernel on $id', ({ titles, ...subject }) => {
  let found: Comparison;

  beforeAll(async () => {
    const listed = titles.flatMap((title, at) =>
      `${subject.id}: ${title}` in knownMagics ? [`${subject.id} ${at + 1}`] : [],
    );
    found = await compare(environment, kernels, subject, { listed });
  }, 600_000);

  test.for(titles.map((title, at) => [title, `${subject.id} ${at + 1}`] as const))('%s', ([title, id], { skip }) => {
    if (found.unsteady.includes(id)) skip('a stock kernel answers in another way each time');
    const difference = found.differences.find((one) => one.id === id);
    const reason = knownMagics[`${subject.id}: ${title}`];
    if (reason) expect(difference, `does not differ any more: ${reason}`).toBeDefined();
    else expect(difference?.here).toEqual(difference?.stock);
  });
});

test('the cells use every magic that IPython lists', async () => {
  const code =
    'import json; print(json.dumps({kind: sorted(names) for kind, names in get_ipython().magics_manager.lsmagic().items()}))';
  const { answers } = await runSubject(environment, { id: 'list', folder: undefined, cells: [code] }, (run) =>
    runInHoldfast(environment.python, run),
  );
  const [output] = answers[0]?.outputs ?? [];
  const { line, cell } = JSON.parse(output && 'text' in output ? output.text : '');
  const cells = subjects.flatMap((subject) => subject.cells);
  const uses = (form: string) => cells.some((text) => text.split(/(?<=[\s=])/).some((word) => word.trim() === form));
  expect(
    line.filter((name: string) => !uses(`%${name}`)),
    'line magics',
  ).toEqual([]);
  expect(
    cell.filter((name: string) => !uses(`%%${name}`)),
    'cell magics',
  ).toEqual([]);
});

test('every known difference is a cell, and the titles of the cells are unique', () => {
  const ids = subjects.flatMap(({ id, titles }) => titles.map((title) => `${id}: ${title}`));
  expect(ids).toEqual(expect.arrayContaining(Object.keys(knownMagics)));
  expect(new Set(ids).size).toBe(ids.length);
});
