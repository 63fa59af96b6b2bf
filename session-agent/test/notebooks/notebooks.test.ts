import { afterAll, describe, expect, test } from 'vitest';
import { compare } from './compare.ts';
import { notebookEnvironment } from './environment.ts';
import { knownDifferences, varyingCells } from './known-differences.ts';
import { pick, readCorpus } from './read-corpus.ts';
import { startStockKernels } from './stock-kernels.ts';

const corpus = readCorpus();
/** The whole corpus takes the better part of an hour, so a run takes a part of it that its seed decides. */
const wanted = process.env.HOLDFAST_TEST_NOTEBOOKS ?? '12';
const seed = Number(process.env.HOLDFAST_TEST_SEED ?? 1);
const chosen = wanted === 'all' ? corpus : pick(corpus, { number: Number(wanted), seed });

const environment = await notebookEnvironment();
const kernels = startStockKernels(environment);
afterAll(() => kernels[Symbol.dispose]());

describe(`${chosen.length} of ${corpus.length} notebooks, seed ${seed}`, { timeout: 900_000 }, () => {
  const total = { cells: 0, equal: 0 };

  test.for(chosen.map((entry) => [entry.id, entry] as const))(
    '%s shows what it shows in a stock kernel',
    async ([id, entry]) => {
      const known = { listed: Object.keys(knownDifferences), varying: varyingCells };
      const { cells, differences, unsteady } = await compare(environment, kernels, entry.read(environment), known);
      total.cells += cells;
      total.equal += cells - differences.length;
      const listed = known.listed.filter((cell) => cell.startsWith(`${id} `) && !unsteady.includes(cell));
      expect(
        differences.filter((one) => !(one.id in knownDifferences)),
        'cells that differ and are not listed',
      ).toEqual([]);
      expect(
        differences.map((one) => one.id),
        'the listed cells differ',
      ).toEqual(expect.arrayContaining(listed));
    },
  );

  test.runIf(wanted === 'all')('at least 98 of 100 cells are equal', () => {
    expect(total.equal / total.cells).toBeGreaterThanOrEqual(0.98);
  });
});

test('every listed difference is a cell of a notebook of the corpus, and the names of the notebooks are unique', () => {
  const ids = corpus.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const listed = Object.keys(knownDifferences).map((cell) => cell.replace(/ \d+$/, ''));
  expect(ids).toEqual(expect.arrayContaining(listed));
});
