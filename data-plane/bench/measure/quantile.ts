/** The value below which the share `q` of the values lies, by the nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export type Band = { p10: number; p50: number; p90: number };

/** The median, and the band in which most values lie. */
export const bandOf = (values: readonly number[]): Band => ({
  p10: quantile(values, 0.1),
  p50: quantile(values, 0.5),
  p90: quantile(values, 0.9),
});
