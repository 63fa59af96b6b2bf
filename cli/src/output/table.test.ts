import { expect, test } from 'vitest';
import { type Columns, createTable, details } from './table.ts';

const columns = {
  ID: ({ id }: { id: string; text: string | null }) => id,
  TEXT: ({ text }: { text: string | null }) => text,
};

const table = <Row>(rows: Row[], columns: Columns<Row>, width?: number) => {
  const { add, take } = createTable(columns, width);
  for (const row of rows) add(row);
  return take();
};

test('aligns columns and shows a missing value as a dash', () => {
  expect(
    table(
      [
        { id: 'a', text: null },
        { id: 'long', text: 'x' },
      ],
      columns,
    ),
  ).toEqual(['ID    TEXT', 'a     -', 'long  x']);
});

test('cuts lines at the width of the terminal', () => {
  expect(table([{ id: 'a', text: 'much too long' }], columns, 10)).toEqual(['ID  TEXT', 'a   much …']);
});

test('aligns columns of wide characters', () => {
  expect(table([{ id: '日本', text: 'x' }], columns)).toEqual(['ID    TEXT', '日本  x']);
});

test('rows that come later have no titles, and columns that are as wide', () => {
  const { add, take } = createTable(columns);
  add({ id: 'long', text: 'x' });
  take();
  add({ id: 'a', text: 'y' });
  expect([take(), take()]).toEqual([['a     y'], []]);
});

test('rows are to be taken when many of them, or much text, wait', () => {
  const few = createTable(columns);
  expect(few.add({ id: 'a', text: 'x' })).toBe(false);
  expect(few.add({ id: 'a', text: 'x'.repeat(2 ** 20) })).toBe(true);
  const many = createTable(columns);
  const answers = Array.from({ length: 1000 }, () => many.add({ id: 'a', text: 'x' }));
  expect([answers[0], answers.at(-1)]).toEqual([false, true]);
});

test('nothing from a sandbox reaches the terminal as a control sequence', () => {
  const [, line] = table([{ id: 'a', text: 'x\u001b]0;title\u0007\u009b2J\n\u202etxt' }], columns);
  expect(line).toBe('a   x\ufffd]0;title\ufffd\ufffd2J \ufffdtxt');
});

test('shows one row as a line for each column', () => {
  expect(details({ id: 'a', text: 'b' }, columns)).toEqual(['ID    a', 'TEXT  b']);
});
