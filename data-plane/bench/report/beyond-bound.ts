import type { Summary } from '../measure/summarize.ts';

/** So generous that only a fault of the product reaches it, and not a busy machine. */
const bound = 5;

/** A band of fewer rounds would only show one pause of the machine. */
const roundsMin = 4;

/** The yardstick throws prints away, so it does not do the work of a large output. */
const isUnfair = ({ case: name }: Summary) => name.startsWith('1 MB');

/**
 * One line for each ratio whose whole band is beyond the bound: a latency that is five times as long in nine of ten rounds, or a rate that is a
 * fifth. A ratio of the product counts if the peer is the yardstick, since the others do less or something else. Pure.
 */
export function beyondBound(summaries: readonly Summary[]): string[] {
  return summaries.flatMap((one) => {
    const { scenario, case: name, metric, ratio, unit } = one;
    const counts = metric === 'latency' || metric === 'throughput';
    const isOther = ratio?.of.startsWith('Holdfast') && one.peer !== 'yardstick';
    if (!ratio || ratio.rounds < roundsMin || !counts || isOther || isUnfair(one)) return [];
    const isBeyond = unit === 'ms' ? ratio.p10 > bound : ratio.p90 < 1 / bound;
    return isBeyond ? [`${scenario}, ${name}: ${ratio.of} is ${ratio.p10.toFixed(2)} to ${ratio.p90.toFixed(2)}`] : [];
  });
}
