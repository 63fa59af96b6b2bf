import { product } from '../peers/product.ts';
import { type Band, bandOf, quantile } from './quantile.ts';
import type { Sample, Unit } from './sample.ts';

/** The samples of one metric of one peer in one case. */
export type Summary = Band & {
  scenario: string;
  case: string;
  metric: string;
  peer: string;
  unit: Unit;
  count: number;
  p99: number;
  /** The product divided by this peer, or this peer by its base: the median of the rounds' ratios. Null if no round has both. */
  ratio: (Band & { of: string; rounds: number }) | null;
};

/** Summarizes the samples in the order in which cases and metrics first appear. The product is the first peer of a case. Pure. */
export function summarize(samples: readonly Sample[]): Summary[] {
  const cases = Map.groupBy(samples, (one) => JSON.stringify([one.scenario, one.case, one.metric]));
  return [...cases.values()].flatMap((ofCase) => {
    const byPeer = Map.groupBy(ofCase, ({ peer }) => peer);
    return [...byPeer.keys()].toSorted(productFirst).map((peer) => {
      const own = byPeer.get(peer) ?? [];
      const base = own[0]?.base;
      const [above, below] = base === undefined ? [product, peer] : [peer, base];
      const ratios = above === below ? [] : ratiosInRounds(byPeer.get(above) ?? [], byPeer.get(below) ?? []);
      return summary(
        own,
        ratios.length > 0 ? { of: `${above} / ${below}`, rounds: ratios.length, ...bandOf(ratios) } : null,
      );
    });
  });
}

/** Then by name, in which numbers count as numbers. */
const productFirst = (a: string, b: string) =>
  Number(b === product) - Number(a === product) ||
  a.replaceAll(',', '').localeCompare(b.replaceAll(',', ''), 'en', { numeric: true });

/** For each round that both have: the median of `ours` divided by the median of `theirs`. Pure. */
export function ratiosInRounds(ours: readonly Sample[], theirs: readonly Sample[]): number[] {
  const medians = (samples: readonly Sample[]) =>
    new Map(
      [...Map.groupBy(samples, ({ round }) => round)].map(([round, of]) => [
        round,
        quantile(
          of.map(({ value }) => value),
          0.5,
        ),
      ]),
    );
  const other = medians(theirs);
  return [...medians(ours)].flatMap(([round, value]) => {
    const divisor = other.get(round);
    return divisor ? [value / divisor] : [];
  });
}

function summary(samples: readonly Sample[], ratio: Summary['ratio']): Summary {
  const { scenario, case: name, metric, peer, unit } = samples[0] as Sample;
  const values = samples.map(({ value }) => value);
  const of = { scenario, case: name, metric, peer, unit, count: values.length };
  return { ...of, ...bandOf(values), p99: quantile(values, 0.99), ratio };
}
