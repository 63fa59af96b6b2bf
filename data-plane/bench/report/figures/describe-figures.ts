import { type Summary, summarize } from '../../measure/summarize.ts';
import { product } from '../../peers/product.ts';
import { whatPeersLack } from '../../peers/what-peers-lack.ts';
import { headerLines } from '../header-lines.ts';
import type { Run } from '../read-run.ts';
import { cells, titles } from '../tables.ts';
import { barChart } from './bar-chart.ts';

export type Figures = {
  /** SVG by file name. */
  files: Record<string, string>;
  markdown: string;
};

/** The CPU of single processes is in the tables alone. */
const isDrawn = (metric: string) => !metric.startsWith('cpu-') || metric === 'cpu-total';

/** A run as Markdown: its header, then a figure and a table for each metric of each scenario. Pure. */
export function describeFigures({ header, samples }: Run, folder: string): Figures {
  const summaries = summarize(samples);
  const files: Record<string, string> = {};
  const parts = ['```', ...headerLines(header), '```'];
  for (const [scenario, ofScenario] of Map.groupBy(summaries, (one) => one.scenario)) {
    parts.push('', `## ${capital(scenario)}`);
    for (const [title, rows] of Map.groupBy(ofScenario, ({ metric, unit }) => `${metric}, ${unit}`)) {
      const [{ metric = '' } = {}] = rows;
      parts.push('', `### ${capital(title)}`, '');
      if (isDrawn(metric)) {
        const name = `${fileName(`${scenario} ${metric}`)}.svg`;
        files[name] = chart(capital(`${scenario}: ${metric}`), rows);
        parts.push(`![${capital(scenario)}: ${title}](${folder}/${name})`, '');
      }
      parts.push(...table(rows));
    }
  }
  return {
    files,
    markdown: [...parts, '', ...lacks(summaries), ...header.notes.map((note) => `- ${note}`)].join('\n'),
  };
}

function chart(title: string, rows: readonly Summary[]): string {
  const groups = [...Map.groupBy(rows, (one) => one.case)].map(([name, bars]) => ({
    name,
    bars: bars.map(({ peer, p10, p50, p90 }) => ({ label: peer, isProduct: peer === product, p10, p50, p90 })),
  }));
  return barChart({ title, unit: rows[0]?.unit ?? '', groups });
}

/** A Markdown table as the formatter of the repository writes it. */
function table(rows: readonly Summary[]): string[] {
  const lines = [titles, ...rows.map(cells)];
  const widths = titles.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)));
  const line = (values: readonly string[]) => `| ${values.join(' | ')} |`;
  const [head = '', ...body] = lines.map((values) => line(values.map((value, i) => value.padEnd(widths[i] ?? 0))));
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body];
}

function lacks(summaries: readonly Summary[]): string[] {
  const peers = new Set(summaries.map(({ peer }) => peer));
  return Object.entries(whatPeersLack)
    .filter(([peer]) => peers.has(peer))
    .map(([peer, lack]) => `- ${peer}: ${lack}.`);
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const fileName = (text: string) => text.replaceAll(/[^a-zA-Z0-9]+/g, '-').toLowerCase();
