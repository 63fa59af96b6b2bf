import { expect, test } from 'vitest';
import { boundError } from './bound-error.ts';

test('leaves a small error unchanged', () => {
  const error = { name: 'E', message: 'm', traceback: ['a', 'b'] };
  expect(boundError(error)).toEqual(error);
});

test('cuts a huge error and keeps both ends of its traceback', () => {
  const traceback = Array.from({ length: 5000 }, (_, index) => `${index} ${'x'.repeat(50_000)}`);
  const bounded = boundError({ name: 'E'.repeat(999), message: '😀'.repeat(100_000), traceback });
  expect(bounded.name).toHaveLength(256);
  expect(bounded.message.length).toBeLessThanOrEqual(64 * 1024);
  expect(bounded.message.isWellFormed()).toBe(true);
  expect(bounded.traceback).toHaveLength(200);
  expect(bounded.traceback[0]).toMatch(/^0 x{100}/);
  expect(bounded.traceback.at(-1)).toMatch(/^4999 x{100}/);
  expect(Math.max(...bounded.traceback.map((entry) => entry.length))).toBe(16 * 1024);
});
