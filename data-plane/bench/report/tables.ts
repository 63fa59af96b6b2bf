import type { Band } from '../measure/quantile.ts';
import { type Summary, summarize } from '../measure/summarize.ts';
import { whatPeersLack } from '../peers/what-peers-lack.ts';
import { headerLines } from './header-lines.ts';
import type { Run } from './read-run.ts';

export const titles = ['case', 'peer', 'p50 (p10 to p90)', 'p99', 'p99/p50', 'ratio in the rounds'];

/** A run as text: its header, a table for each scenario and metric, and what the peers leave out. Pure. */
export function drawTables({ header, samples }: Run): string {
  const summaries = summarize(samples);
  const tables = Map.groupBy(summaries, ({ scenario, metric, unit }) => `${scenario}: ${metric}, ${unit}`);
  const peers = new Set(summaries.map(({ peer }) => peer));
  return [
    ...headerLines(header),
    ...[...tables].flatMap(([title, rows]) => ['', title, ...alignColumns([titles, ...rows.map(cells)])]),
    '',
    ...Object.entries(whatPeersLack)
      .filter(([peer]) => peers.has(peer))
      .map(([peer, lack]) => `${peer}: ${lack}`),
    ...header.notes.map((note) => `note: ${note}`),
  ].join('\n');
}

/** A row of a table, without its scenario and metric. */
export function cells(one: Summary): string[] {
  const tail = one.count >= 100 ? [shortNumber(one.p99), shortNumber(one.p99 / one.p50)] : ['', ''];
  return [one.case, one.peer, showBand(one), ...tail, one.ratio ? `${showBand(one.ratio)} ${one.ratio.of}` : ''];
}

export const showBand = ({ p10, p50, p90 }: Band) => `${shortNumber(p50)} (${shortNumber(p10)} to ${shortNumber(p90)})`;

/** Three significant digits, or all digits of a large number before the point. */
function shortNumber(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toFixed(digits);
}

/** Lines in which all cells of a column begin at the same place. A case that repeats the one above is left blank. */
export function alignColumns(rows: readonly string[][]): string[] {
  const shown = rows.map((row, i) => (row[0] === rows[i - 1]?.[0] ? ['', ...row.slice(1)] : row));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 2))
      .join('')
      .trimEnd(),
  );
}
