export type Scale = {
  kind: 'linear' | 'logarithmic';
  /** The share of the axis, 0 to 1, at which a value lies. Values below the axis lie at 0. */
  at(value: number): number;
  ticks: number[];
};

/** A linear axis from 0 shows values of one order; beyond it the small ones would vanish. */
const linearRangeMax = 30;

/** The axis for these values, the smallest of which is above 0: linear from 0, or logarithmic by powers of ten if they are far apart. Pure. */
export function chooseScale(values: readonly number[]): Scale {
  const positive = values.filter((value) => value > 0);
  const [low, high] = positive.length > 0 ? [Math.min(...positive), Math.max(...positive)] : [1, 1];
  return high / low > linearRangeMax ? logarithmic(low, high) : linear(high);
}

function linear(high: number): Scale {
  const rough = high / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.ceil(high / step);
  return {
    kind: 'linear',
    at: (value) => Math.max(0, value / (step * count)),
    ticks: Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6))),
  };
}

function logarithmic(low: number, high: number): Scale {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  return {
    kind: 'logarithmic',
    at: (value) => (value > 0 ? Math.max(0, (Math.log10(value) - first) / (last - first)) : 0),
    ticks: Array.from({ length: last - first + 1 }, (_, i) => Number((10 ** (first + i)).toPrecision(6))),
  };
}
