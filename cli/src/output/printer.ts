import type { Command } from 'commander';
import { createListWriter, createRowWriter, type Format, type Kind } from './list-writer.ts';
import { jsonOf, yamlOf } from './structured.ts';
import { details } from './table.ts';
import { write } from './write.ts';

/** Writes what a command answers to stdout, in the format that `-o` asks for. */
export function printer(command: Command) {
  const { output: format = 'table' } = command.optsWithGlobals<{ output?: Format }>();
  /** A value of no kind: JSON, or YAML for a person. */
  const value = async (value: unknown) =>
    await write(process.stdout, format === 'json' ? `${jsonOf(value, 2)}\n` : await yamlOf(value));
  return {
    format,
    value,

    async list<Row>(rows: AsyncIterable<Row> | Iterable<Row>, kind: Kind<Row>): Promise<void> {
      const writer = createListWriter(format, kind);
      for await (const row of rows) await writer.add(row);
      await writer.end();
    },

    /** Shows rows without an end to them. */
    rows: <Row>(kind: Kind<Row>) => createRowWriter(format, kind),

    async one<Row>(row: Row, kind: Kind<Row>): Promise<void> {
      if (format !== 'table' && format !== 'name') return await value(row);
      const lines = format === 'name' ? [kind.name(row)] : details(row, { ...kind.columns, ...kind.more });
      await write(process.stdout, lines.map((line) => `${line}\n`).join(''));
    },
  };
}
