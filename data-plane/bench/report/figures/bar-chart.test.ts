import { expect, test } from 'vitest';
import { barChart } from './bar-chart.ts';

const band = (p50: number) => ({ p10: p50 * 0.9, p50, p90: p50 * 1.1 });
const chart = barChart({
  title: 'latency <&> "more"',
  unit: 'ms',
  groups: [
    {
      name: 'one print',
      bars: [
        { label: 'Holdfast', isProduct: true, ...band(2) },
        { label: 'yardstick', isProduct: false, ...band(1) },
      ],
    },
  ],
});

test('every bar has its label and its value with the unit', () => {
  expect(chart).toContain('>Holdfast</text>');
  expect(chart).toContain('>2.00 (1.80 to 2.20) ms</text>');
  expect(chart).toContain('>1.00 (0.900 to 1.10) ms</text>');
});

test('the product has a colour of its own, and a bar is as long as its median', () => {
  const widths = [...chart.matchAll(/class="(product|peer)" [^>]*?width="([\d.]+)"/g)].map(([, kind, width]) => [
    kind,
    Number(width),
  ]);
  expect(widths.map(([kind]) => kind)).toEqual(['product', 'peer']);
  expect(Number(widths[0]?.[1]) / Number(widths[1]?.[1])).toBeCloseTo(2, 1);
});

test('the axis says its unit, and which direction is better', () => {
  expect(chart).toContain('>ms, linear; less is better</text>');
  expect(barChart({ title: '', unit: 'MB/s', groups: [] })).toContain('>MB/s, linear; more is better</text>');
});

test('text is escaped, and dark mode has colours', () => {
  expect(chart).toContain('latency &lt;&amp;&gt; &quot;more&quot;');
  expect(chart).toContain('prefers-color-scheme:dark');
});

test('a whisker of no length is left out', () => {
  const bars = [{ label: 'Holdfast', isProduct: true, p10: 1, p50: 1, p90: 1 }];
  expect(barChart({ title: '', unit: 'ms', groups: [{ name: '', bars }] })).not.toContain('<path');
});
