import { expect, test } from 'vitest';
import { details, table } from './table.ts';

const columns = {
  ID: ({ id }: { id: string; text: string | null }) => id,
  TEXT: ({ text }: { text: string | null }) => text,
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

test('a list may have any number of lines', () => {
  const rows = Array.from({ length: 200_000 }, () => ({ id: 'a', text: null }));
  expect(table(rows, columns)).toHaveLength(200_001);
});

test('nothing from a sandbox reaches the terminal as a control sequence', () => {
  const [, line] = table([{ id: 'a', text: 'x\u001b]0;title\u0007\u009b2J\n\u202etxt' }], columns);
  expect(line).toBe('a   x\ufffd]0;title\ufffd\ufffd2J \ufffdtxt');
});

test('shows one row as a line for each column', () => {
  expect(details({ id: 'a', text: 'b' }, columns)).toEqual(['ID    a', 'TEXT  b']);
});
