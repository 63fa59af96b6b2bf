import { expect, test } from 'vitest';
import { allowsPath, coversPath } from './path-patterns.ts';

test.each([
  ['src/*.py', 'src/a.py', true],
  ['src/*.py', 'src/b/a.py', false],
  ['src/**', 'src/b/a.py', true],
  ['src/**', 'src', false],
  ['**/a.py', 'a.py', true],
  ['src/**/a.py', 'src/x/y/a.py', true],
  ['src/**/x/**/a.py', 'src/x/b/x/a.py', true],
  ['src/**/a.py', 'src/a.pyc', false],
  ['src/*', 'src/.env', true],
  ['src/*', 'SRC/a', false],
])('pattern %o on path %o answers %o', (pattern, path, answer) => {
  expect(allowsPath([pattern], path)).toBe(answer);
});

test.each(['/src/a', 'src//a', 'src/./a', 'src/../a', 'src/a/', 'src/a\0', 'src/a\ud800', ''])(
  'allows %o under no pattern, since it is not canonical',
  (path) => {
    expect(allowsPath(['**'], path)).toBe(false);
    expect(allowsPath(['src/**'], path)).toBe(false);
  },
);

test.each([
  ['a backslash', 'src/a\\b'],
  ['a division slash', 'src/a\u2215b'],
  ['a fullwidth solidus', 'src/a\uff0fb'],
  ['a one dot leader', 'src/\u2024\u2024'],
  ['a trailing dot', 'src/a.'],
  ['a trailing dot of a folder', 'src/a./b'],
  ['a trailing space', 'src/a '],
  ['a leading space', 'src/ a'],
  ['a no-break space', 'src/a\u00a0b'],
  ['the decomposed form of a letter', 'src/e\u0301'],
  ['a zero-width space', 'src/a\u200bb'],
  ['a text direction', 'src/a\u202eb'],
  ['a line break', 'src/a\nb'],
])('allows a path with %s only if every path is allowed', (_, path) => {
  expect(allowsPath(['src/**', '*/**'], path)).toBe(false);
  expect(allowsPath(['**'], path)).toBe(true);
});

test.each([
  ['**', 'src/**', true],
  ['src/**', '**', false],
  ['src/**', 'src/*/a', true],
  ['src/*', 'src/**', false],
  ['src/*', 'src/a*', true],
  ['src/a*', 'src/*', false],
  ['**/*.py', 'src/**/a.py', true],
  ['src/**', 'src/**/**', true],
])('pattern %o covers %o: %o', (outer, inner, answer) => {
  expect(coversPath(outer, inner)).toBe(answer);
});

test('answers within its bounds on a path and patterns that are made to fit late', () => {
  const path = Array.from({ length: 250 }, () => 'aaaaaaaaaaaaaaa').join('/');
  const pattern = `**/${Array.from({ length: 60 }, () => 'a*a*a').join('/')}/**/b`;
  expect(allowsPath([pattern], path)).toBe(false);
});
