import { expect, test } from 'vitest';
import { sandboxUserId } from './sandbox-user-id.ts';

test('the same name always gets the same user id', () => {
  const range = { first: 1_000_000, last: 2_000_000_000 };
  expect(sandboxUserId('ses-1-1', range)).toBe(sandboxUserId('ses-1-1', range));
  expect(sandboxUserId('ses-1-1', range)).not.toBe(sandboxUserId('ses-1-2', range));
});

test('user ids lie in the range, both ends included', () => {
  const names = Array.from({ length: 200 }, (_, index) => `ses-${index}`);
  const ids = new Set(names.map((name) => sandboxUserId(name, { first: 1000, last: 1003 })));
  expect([...ids].sort()).toEqual([1000, 1001, 1002, 1003]);
  expect(sandboxUserId('ses', { first: 1000, last: 1000 })).toBe(1000);
});

test('a thousand sandboxes hardly ever share a user id', () => {
  const range = { first: 1_000_000, last: 2_000_000_000 };
  const ids = Array.from({ length: 1000 }, (_, index) => sandboxUserId(`ses-${index}`, range));
  expect(new Set(ids).size).toBe(1000);
});
