/** The cells of a row by the titles of their columns. */
export type Columns<Row> = Record<string, (row: Row) => string | number | boolean | null | undefined>;

/** Lines with aligned columns. The last column is cut at `width`, if there is one. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, width?: number): string[] {
  const titles = Object.keys(columns);
  const lines = [titles, ...rows.map((row) => titles.map((title) => cellText(columns[title]?.(row))))];
  // Not Math.max of all lines, since a call takes only so many arguments.
  const widths = titles.map((_, i) => lines.reduce((widest, line) => Math.max(widest, line[i]?.length ?? 0), 0));
  return lines.map((line) => {
    const text = line.map((cell, i) => (i === line.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  ');
    return width !== undefined && text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text;
  });
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

/** The text without control characters, C1 and those that turn the direction of writing included. */
export const printable = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be left out.
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
