import { note } from './progress.ts';
import { jsonOf, yamlOf } from './structured.ts';
import { type Columns, createTable } from './table.ts';
import { write } from './write.ts';

export const formats = ['table', 'json', 'yaml', 'name'] as const;

export type Format = (typeof formats)[number];

/** How things of one kind are shown. JSON and YAML have all of their fields. */
export type Kind<Row> = {
  columns: Columns<Row>;
  /** Further lines if one of them is shown alone. */
  more?: Columns<Row>;
  name(row: Row): string;
};

type RowWriter<Row> = {
  add(row: Row): Promise<void>;
  /** Shows what waits for more rows. */
  flush(): Promise<void>;
};

const put = (text: string) => write(process.stdout, text);

/** Writes rows as they come: a list may be longer than memory. `end` is the end of the list. */
export function createListWriter<Row>(format: Format, kind: Kind<Row>): RowWriter<Row> & { end(): Promise<void> } {
  let count = 0;
  if (format === 'table' || format === 'name') {
    const writer = createLineWriter(format, kind);
    return {
      ...writer,
      async add(row) {
        count++;
        await writer.add(row);
      },
      async end() {
        if (count > 0) await writer.flush();
        else if (format === 'table') note('nothing to list');
      },
    };
  }
  return {
    async add(row) {
      const isFirst = count++ === 0;
      if (format === 'yaml') return await put(await yamlOf([row]));
      await put(`${isFirst ? '[' : ','}\n${jsonOf(row, 2).replace(/^/gm, '  ')}`);
    },
    flush: async () => {},
    end: () => put(count === 0 ? '[]\n' : format === 'json' ? '\n]\n' : ''),
  };
}

/** Writes rows without an end: JSON is one row a line, and YAML one document a row. */
export function createRowWriter<Row>(format: Format, kind: Kind<Row>): RowWriter<Row> {
  if (format === 'table' || format === 'name') return createLineWriter(format, kind);
  return {
    add: async (row) => await put(format === 'json' ? `${jsonOf(row)}\n` : `---\n${await yamlOf(row)}`),
    flush: async () => {},
  };
}

function createLineWriter<Row>(format: 'table' | 'name', kind: Kind<Row>): RowWriter<Row> {
  if (format === 'name') return { add: (row) => put(`${kind.name(row)}\n`), flush: async () => {} };
  const { stdout } = process;
  const table = createTable(kind.columns, (stdout.isTTY && stdout.columns) || undefined);
  const flush = () =>
    put(
      table
        .take()
        .map((line) => `${line}\n`)
        .join(''),
    );
  return {
    async add(row) {
      if (table.add(row)) await flush();
    },
    flush,
  };
}
