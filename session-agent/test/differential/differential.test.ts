import { beforeAll, describe, expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type Answer, answer } from './answer.ts';
import { exceptions } from './exceptions.ts';
import { type Cell, readCorpus } from './read-corpus.ts';
import { recordedAnswers } from './recorded-answers.ts';

/** The version of the tests' Python, and its libraries. */
async function findPython(): Promise<{ version: string; libraries: string[] }> {
  await using open = await openKernel('python');
  const { stdout } = await open.run(`
import sys, json, importlib.util
found = [name for name in ('numpy', 'pandas') if importlib.util.find_spec(name)]
print(json.dumps({'version': '%d.%d' % sys.version_info[:2], 'libraries': found}))`);
  return JSON.parse(stdout);
}

async function answers(cells: Cell[]): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>();
  await using open = await openKernel('python');
  for (const { id, code } of cells) found.set(id, answer(await open.run(code)));
  return found;
}

const python = await findPython();
const recorded = recordedAnswers(python.version);
const corpus = readCorpus();

describe.for(corpus)('Holdfast’s kernel and the stock kernel on $subject', ({ cells }) => {
  const runnable = cells.filter(({ id, needs }) => id in recorded && (!needs || python.libraries.includes(needs)));
  let found = new Map<string, Answer>();

  beforeAll(async () => {
    if (runnable.length > 0) found = await answers(runnable);
  });

  test.for(cells.map((cell) => [cell.id, cell] as const))('%s', ([id, cell], { skip }) => {
    if (!runnable.includes(cell)) skip();
    const reason = exceptions[id];
    if (reason) expect(found.get(id), `does not differ any more: ${reason}`).not.toEqual(recorded[id]);
    else expect(found.get(id)).toEqual(recorded[id]);
  });
});

test('every exception is a cell of the corpus, and the titles of the cells are unique', () => {
  const ids = corpus.flatMap(({ cells }) => cells.map(({ id }) => id));
  expect(ids).toEqual(expect.arrayContaining(Object.keys(exceptions)));
  expect(new Set(ids).size).toBe(ids.length);
});
