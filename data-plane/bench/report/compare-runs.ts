import type { Band } from '../measure/quantile.ts';
import { type Summary, summarize } from '../measure/summarize.ts';
import { UsageError } from '../run/usage-error.ts';
import { readRun } from './read-run.ts';
import { alignColumns, showBand } from './tables.ts';

/** Prints how the ratios to the peers differ between two files of samples. The machine's speed is in neither of them. */
export async function compareRuns([first, second, ...more]: string[]): Promise<void> {
  if (first === undefined || second === undefined || more.length > 0)
    throw new UsageError('compare takes two files of samples: npm run bench -- compare A B');
  const [a, b] = [await readRun(first), await readRun(second)];
  const rows = compareSummaries(summarize(a.samples), summarize(b.samples));
  if (rows.length === 0) throw new UsageError('the two runs have no case and peer in common');
  console.log(`A  ${first}, commit ${a.header.commit}\nB  ${second}, commit ${b.header.commit}\n`);
  const titles = ['case', 'metric', 'ratio', 'A', 'B', 'B/A', ''];
  const lines = rows.map(({ name, metric, of, a, b, change, overlap }) => [
    ...[name, metric, of, showBand(a), showBand(b)],
    ...[change.toFixed(2), overlap ? 'the bands overlap' : 'the bands are apart'],
  ]);
  for (const line of alignColumns([titles, ...lines])) console.log(line);
}

export type Comparison = {
  name: string;
  metric: string;
  /** As in `Summary`. */
  of: string;
  a: Band;
  b: Band;
  change: number;
  overlap: boolean;
};

/** One row for each ratio that both runs have. Pure. */
export function compareSummaries(a: readonly Summary[], b: readonly Summary[]): Comparison[] {
  const keyOf = (one: Summary) => JSON.stringify([one.scenario, one.case, one.metric, one.peer]);
  const others = new Map(b.map((one) => [keyOf(one), one]));
  return a.flatMap((one) => {
    const other = others.get(keyOf(one));
    if (!one.ratio || !other?.ratio) return [];
    return [
      {
        name: `${one.scenario}: ${one.case}`,
        ...{ metric: one.metric, of: one.ratio.of, a: one.ratio, b: other.ratio },
        change: other.ratio.p50 / one.ratio.p50,
        overlap: one.ratio.p10 <= other.ratio.p90 && other.ratio.p10 <= one.ratio.p90,
      },
    ];
  });
}
