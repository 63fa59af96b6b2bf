import type { Change } from '@holdfast/specs/agent';
import { expect, test } from 'vitest';
import { distinctChanges, listedChanges } from './listed-changes.ts';

const change = (path: string, more: Partial<Change> = {}): Change => ({
  path,
  change: 'created',
  size: 1,
  concurrent: false,
  version: 'v',
  ...more,
});

test('marks a path that is not a normal path in the workspace as an invalid name', () => {
  const paths = ['../etc/passwd', '/etc/passwd', 'a//b', './a', 'a/', 'nul\0', 'lone \ud800', '', 'x'.repeat(256)];
  for (const path of paths) {
    const [entry] = distinctChanges([change(path)]);
    expect(entry, path).toMatchObject({ omission: 'invalid-name' });
    expect(entry?.path.isWellFormed() && !entry.path.includes('\0')).toBe(true);
  }
  expect(distinctChanges([change('a/b.txt')])).toEqual([change('a/b.txt')]);
});

test('lists a path once if the agent names it twice', () => {
  const twice = [change('a', { size: 1 }), change('a', { size: 2 }), change('nul\0'), change('nul\uFFFD')];
  expect(distinctChanges(twice)).toMatchObject([{ path: 'a', size: 1 }, { path: 'nul\uFFFD' }]);
});

test('adds one entry that stands for all changes beyond the limit', () => {
  const many = Array.from({ length: 2500 }, (_, index) => change(`file-${index}`));
  const { listed, rest } = listedChanges(many);
  expect(listed).toHaveLength(2001);
  expect(listed.at(-1)).toMatchObject({ path: '', omission: 'too-many' });
  expect(rest).toEqual(many.slice(2000));
  expect(listedChanges(many.slice(0, 2000))).toEqual({ listed: many.slice(0, 2000), rest: [] });
});

test('limits the length of all listed paths together', () => {
  const long = Array.from({ length: 2000 }, (_, index) => change(`${index}/${'\u0001'.repeat(255)}`));
  const { listed, rest } = listedChanges(long);
  expect(JSON.stringify(listed).length).toBeLessThan(2 * 1024 * 1024);
  expect(listed.length - 1 + rest.length).toBe(2000);
});
