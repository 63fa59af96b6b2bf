export type Unit = 'ms' | '1/s' | 'MB/s' | 'MiB';

/** One measured value. A peer may have several in a round; ratios compare the medians of the same round. */
export type Sample = {
  scenario: string;
  case: string;
  peer: string;
  round: number;
  /** The peer that this one is divided by. Without it, the product is divided by this peer. */
  base?: string;
  /** Such as `latency`, `throughput`, `first-byte` or `cpu-data-plane`. */
  metric: string;
  value: number;
  unit: Unit;
};
