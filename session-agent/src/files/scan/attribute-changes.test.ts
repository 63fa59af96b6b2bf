import { expect, test } from 'vitest';
import { attributeChanges } from './attribute-changes.ts';
import type { PathRecord } from './path-record.ts';

const record = (paths: string[], isWhole = true): PathRecord => ({
  isWhole: () => isWhole,
  has: (path) => paths.includes(path),
});
const created = (path: string) => ({ path, before: null, after: 'f1:1:1' });

const attributed = (paths: string[], steps: Record<string, PathRecord | null>) =>
  Object.fromEntries(
    [...attributeChanges(paths.map(created), new Map(Object.entries(steps)))].map(([id, { alone, shared }]) => [
      id,
      [alone.map(({ path }) => path), shared.map(({ path }) => path)],
    ]),
  );

test('a change belongs to the step whose record has it, and the rest to the one without a record', () => {
  expect(attributed(['a', 'b'], { one: null, two: record(['b']) })).toEqual({ one: [['a'], []], two: [['b'], []] });
});

test('a change that two records have belongs to both', () => {
  const steps = { one: record(['a']), two: record(['a', 'b']), three: record([]) };
  expect(attributed(['a', 'b'], steps)).toEqual({ one: [[], ['a']], two: [['b'], ['a']], three: [[], []] });
});

test('a change that no record has belongs to all steps without a whole record, or else to all', () => {
  expect(attributed(['x'], { one: null, two: record([], false), three: record([]) })).toEqual({
    one: [[], ['x']],
    two: [[], ['x']],
    three: [[], []],
  });
  expect(attributed(['x'], { one: record([]), two: record([]) })).toEqual({ one: [[], ['x']], two: [[], ['x']] });
});
