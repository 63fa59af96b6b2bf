import { cutTo, padTo, widthOf } from './text-width.ts';

/** The cells of a row by the titles of their columns. */
export type Columns<Row> = Record<string, (row: Row) => string | number | boolean | null | undefined>;

const rowsMax = 500;
const charactersMax = 1024 * 1024;

/**
 * Lines with aligned columns, for rows that come one by one. Those that are taken at once are aligned with each other and with the ones before
 * them, unless a column must become wider. The last column is cut at `width`, if there is one.
 */
export function createTable<Row>(columns: Columns<Row>, width?: number) {
  const titles = Object.keys(columns);
  const widths = titles.map(() => 0);
  let lines = [titles];
  let characters = 0;
  return {
    /** Answers whether enough rows wait to be taken. */
    add(row: Row): boolean {
      const line = titles.map((title) => cellText(columns[title]?.(row)));
      lines.push(line);
      for (const cell of line) characters += cell.length;
      return lines.length >= rowsMax || characters >= charactersMax;
    },

    /** The rows since the last time, the first of them below the titles. */
    take(): string[] {
      const taken = lines;
      lines = [];
      characters = 0;
      for (const line of taken) {
        for (const [i, cell] of line.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
      }
      return taken.map((line) => {
        const text = line.map((cell, i) => (i === line.length - 1 ? cell : padTo(cell, widths[i] ?? 0))).join('  ');
        return width === undefined ? text : cutTo(text, width);
      });
    },
  };
}

/** One row as a line for each column. */
export function details<Row>(row: Row, columns: Columns<Row>): string[] {
  const titles = Object.keys(columns);
  const widest = Math.max(...titles.map((title) => title.length));
  return titles.map((title) => `${title.padEnd(widest)}  ${cellText(columns[title]?.(row))}`);
}

/** Names and code come from sandboxes, so nothing in them may move the cursor or change the terminal. */
function cellText(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined || value === '') return '-';
  return printable(String(value).replace(/\s+/g, ' '));
}

/** The text without characters that move the cursor, change the terminal or turn the direction of writing. */
export const printable = (text: string) => text.replace(/\p{Cc}|\p{Bidi_Control}/gu, '\ufffd');
