import { expect, test } from 'vitest';
import type { Sandbox } from '../../runtimes/runtime.ts';
import { compareSandboxes, type Expected } from './compare-sandboxes.ts';

const now = new Date('2026-01-01T00:10:00Z');
const old = new Date('2026-01-01T00:00:00Z');

const expected = (uid: string): Expected => ({
  session: { id: `ses-${uid}`, epoch: 1 },
  name: `name-${uid}`,
  uid,
});
const sandbox = (uid: string, rest: Partial<Sandbox> = {}): Sandbox => ({
  name: `name-${uid}`,
  uid,
  node: 'here',
  endpoint: null,
  phase: 'running',
  createdAt: old,
  ...rest,
});

const compare = (before: string[], listed: Sandbox[], after = before, starting: string[] = []) =>
  compareSandboxes({
    before: before.map(expected),
    listed,
    after: after.map(expected),
    starting: new Set(starting),
    now,
  });

test('a sandbox that both sides have is neither lost nor an orphan', () => {
  expect(compare(['a'], [sandbox('a')])).toEqual({ lost: [], orphans: [] });
});

test('a sandbox that is missing or has ended is lost', () => {
  const found = compare(['a', 'b', 'c'], [sandbox('a'), sandbox('b', { phase: 'ended' })]);
  expect(found?.lost.map(({ uid }) => uid)).toEqual(['b', 'c']);
});

test('a session that ended between the two reads has lost nothing', () => {
  expect(compare(['a'], [], [])?.lost).toEqual([]);
});

test('a sandbox bound between the two reads does not count as an orphan', () => {
  expect(compare([], [sandbox('a')], ['a'])?.orphans).toEqual([]);
});

test('a sandbox that neither read expects is an orphan once it is old enough or has ended', () => {
  const listed = [
    sandbox('old'),
    sandbox('young', { createdAt: now }),
    sandbox('dead', { createdAt: now, phase: 'ended' }),
  ];
  expect(compare([], listed)?.orphans.map(({ uid }) => uid)).toEqual(['old', 'dead']);
});

test('a sandbox whose session is still creating does not count as an orphan, however old it is', () => {
  expect(compare([], [sandbox('slow')], [], ['name-slow'])?.orphans).toEqual([]);
});

test('a sandbox that does not carry its database is expected like any other, and never an orphan', () => {
  const unidentified = { isUnidentified: true } as const;
  expect(compare(['a'], [sandbox('a', unidentified)])).toEqual({ lost: [], orphans: [] });
  expect(compare([], [sandbox('a', unidentified), sandbox('b', { ...unidentified, phase: 'ended' })])).toEqual({
    lost: [],
    orphans: [],
  });
});

test('another incarnation under the same name does not count as the expected one', () => {
  const found = compare(['a'], [sandbox('b', { name: 'name-a' })]);
  expect(found?.lost.map(({ uid }) => uid)).toEqual(['a']);
  expect(found?.orphans.map(({ uid }) => uid)).toEqual(['b']);
});

test('the comparison stops if the registry knows none of more than ten running sandboxes', () => {
  const many = Array.from({ length: 11 }, (_, i) => sandbox(`${i}`));
  expect(compare([], many)).toBeNull();
  expect(compare([], many.slice(1))?.orphans).toHaveLength(10);
  const ended = many.map((one) => ({ ...one, phase: 'ended' as const }));
  expect(compare([], ended)?.orphans).toHaveLength(11);
});

test('the comparison stops if more than ten and over 30 % of the expected sandboxes are missing from the list', () => {
  const many = Array.from({ length: 30 }, (_, i) => `${i}`);
  expect(
    compare(
      many,
      many.slice(11).map((uid) => sandbox(uid)),
    ),
  ).toBeNull();
  expect(
    compare(
      many,
      many.slice(10).map((uid) => sandbox(uid)),
    )?.lost,
  ).toHaveLength(10);
});
