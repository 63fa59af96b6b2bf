import type { Band } from '../../measure/quantile.ts';
import { showBand } from '../tables.ts';
import { chooseScale } from './scale.ts';

export type Bar = Band & { label: string; isProduct: boolean };
export type BarChart = { title: string; unit: string; groups: { name: string; bars: Bar[] }[] };

const width = 920;
const axis = { left: 216, right: 670 };
const row = 24;
const groupTitle = 30;
const header = 44;
const footer = 44;

/** The colours of a page in light and in dark mode. The figure has a ground of its own, as the page may have the other mode than the reader's system. */
const style = `
  .ground{fill:#fff}.title{fill:#1f2328;font-weight:600;font-size:16px}.group{fill:#1f2328;stroke:#fff;font-weight:600;stroke-width:5;paint-order:stroke}
  .label,.tick{fill:#59636e}.value{fill:#1f2328;font-variant-numeric:tabular-nums}.grid{stroke:#d1d9e0}
  .product{fill:#2563c9}.peer{fill:#a3adb8}.whisker{stroke:#1f2328;stroke-width:1.5}
  @media(prefers-color-scheme:dark){
  .ground{fill:#0d1117}.title,.group,.value{fill:#f0f6fc}.label,.tick{fill:#9198a1}.grid{stroke:#3d444d}
  .group{stroke:#0d1117}.product{fill:#5b9bff}.peer{fill:#5c6673}.whisker{stroke:#f0f6fc}}`;

/** Horizontal bars up to the median, with whiskers from the 10th to the 90th percentile, in groups, as SVG. Pure. */
export function barChart({ title, unit, groups }: BarChart): string {
  const bars = groups.flatMap((group) => group.bars);
  const { at, ticks, kind } = chooseScale(bars.flatMap(({ p10, p50, p90 }) => [p10, p50, p90]));
  const x = (value: number) => round(axis.left + at(value) * (axis.right - axis.left));
  const bottom = header + groups.length * groupTitle + bars.length * row + 6;
  const height = bottom + footer;

  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${header}" y2="${bottom}"/>` +
      text('tick', { x: x(tick), y: bottom + 16, anchor: 'middle' }, tick.toLocaleString('en')),
  );
  let y = header;
  const drawn = groups.flatMap((group) => {
    const top = y + groupTitle;
    y = top + group.bars.length * row;
    const name = text('group', { x: 16, y: top - 8 }, group.name);
    return [name, ...group.bars.map((bar, i) => drawBar(bar, { x, top: top + i * row, unit }))];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif" font-size="13">`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    text('title', { x: 16, y: 28 }, title),
    ...grid,
    text(
      'tick',
      { x: (axis.left + axis.right) / 2, y: bottom + 34, anchor: 'middle' },
      `${unit}, ${kind}; ${better(unit)} is better`,
    ),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawBar(bar: Bar, { x, top, unit }: { x(value: number): number; top: number; unit: string }): string {
  const middle = top + row / 2;
  const [left, right] = [x(bar.p10), x(bar.p90)];
  const whisker = [
    `<path class="whisker" fill="none" d="M${left} ${middle}H${right}M${left} ${middle - 4}v8M${right} ${middle - 4}v8"/>`,
  ];
  return [
    text('label', { x: axis.left - 10, y: middle + 4.5, anchor: 'end' }, bar.label),
    `<rect class="${bar.isProduct ? 'product' : 'peer'}" x="${axis.left}" y="${top + 4}" width="${round(x(bar.p50) - axis.left)}" height="${row - 8}" rx="2"/>`,
    ...(bar.p10 === bar.p90 ? [] : whisker),
    text('value', { x: axis.right + 16, y: middle + 4.5 }, `${showBand(bar)} ${unit}`),
  ].join('');
}

const better = (unit: string) => (unit.endsWith('/s') ? 'more' : 'less');

type Place = { x: number; y: number; anchor?: 'middle' | 'end' };

const text = (kind: string, { x, y, anchor }: Place, content: string) =>
  `<text class="${kind}" x="${x}" y="${y}"${anchor ? ` text-anchor="${anchor}"` : ''}>${escaped(content)}</text>`;

const escaped = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const round = (value: number) => Number(value.toFixed(1));
