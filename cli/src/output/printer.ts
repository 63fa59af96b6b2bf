import type { Command } from 'commander';
import { note } from './progress.ts';
import { type Columns, details, table } from './table.ts';

export const formats = ['table', 'json', 'yaml', 'name'] as const;

export type Format = (typeof formats)[number];

/** How things of one kind are shown. JSON and YAML have all of their fields. */
export type Kind<Row> = {
  columns: Columns<Row>;
  /** Further lines if one of them is shown alone. */
  more?: Columns<Row>;
  name(row: Row): string;
};

/** Writes what a command answers to stdout, in the format that `-o` asks for. */
export function printer(command: Command) {
  const { output: format = 'table' } = command.optsWithGlobals<{ output?: Format }>();
  const { stdout } = process;
  const width = (stdout.isTTY && stdout.columns) || undefined;
  return {
    format,

    async list<Row>(rows: AsyncIterable<Row> | Iterable<Row>, kind: Kind<Row>): Promise<void> {
      const all: Row[] = [];
      for await (const row of rows) all.push(row);
      if (format === 'table' && all.length === 0) note('nothing to list');
      else if (format === 'table') writeLines(table(all, kind.columns, width));
      else if (format === 'name') writeLines(all.map(kind.name));
      else await writeValue(all, format);
    },

    async one<Row>(row: Row, kind: Kind<Row>): Promise<void> {
      if (format === 'table') writeLines(details(row, { ...kind.columns, ...kind.more }));
      else if (format === 'name') writeLines([kind.name(row)]);
      else await writeValue(row, format);
    },

    /** A value of no kind: JSON, or YAML for a person. */
    value: (value: unknown) => writeValue(value, format === 'json' ? 'json' : 'yaml'),
  };
}

const writeLines = (lines: string[]) => {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
};

async function writeValue(value: unknown, format: 'json' | 'yaml'): Promise<void> {
  if (format === 'json') return void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  const { stringify } = await import('../yaml.ts');
  process.stdout.write(stringify(value));
}
