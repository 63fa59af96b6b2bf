import { expect, test } from 'vitest';
import type { Limits } from '../../registry/budgets/find-budgets.ts';
import { changedLimits, isRaised, noLimits, refuseRaise } from './limits.ts';

const limits: Limits = { iterations: 10, timeMs: 1000, tokens: 500, cost: '0.3' };

test('a limit that is left out stays, and null removes one', () => {
  expect(changedLimits(limits, {})).toEqual(limits);
  expect(changedLimits(limits, { iterations: null, timeSeconds: 2.5 })).toEqual({
    ...limits,
    iterations: null,
    timeMs: 2500,
  });
  expect(changedLimits(limits, { timeSeconds: 0, cost: null })).toEqual({ ...limits, timeMs: 0, cost: null });
});

test('a cost that is a number is rounded to a decimal', () => {
  expect(changedLimits(noLimits, { cost: 0.1 + 0.2 }).cost).toBe('0.300000000000');
  expect(changedLimits(noLimits, { cost: '1.25' }).cost).toBe('1.25');
});

const raised: [string, Partial<Limits>][] = [
  ['more iterations', { iterations: 11 }],
  ['more time', { timeMs: 1000.5 }],
  ['more tokens', { tokens: 501 }],
  ['a higher cost', { cost: '0.300000000001' }],
  ['a cost with more digits before the point', { cost: '10' }],
  ['no limit of iterations', { iterations: null }],
  ['no limit of time', { timeMs: null }],
  ['no limit of tokens', { tokens: null }],
  ['no limit of cost', { cost: null }],
];

test.each(raised)('%s is more than before', (_what, change) => {
  expect(isRaised(limits, { ...limits, ...change })).toBe(true);
  // It counts although everything else is less.
  expect(isRaised(limits, { iterations: 0, timeMs: 0, tokens: 0, cost: '0', ...change })).toBe(true);
});

const notRaised: [string, Limits, Limits][] = [
  ['the same', limits, limits],
  ['less of everything', limits, { iterations: 9, timeMs: 999, tokens: 499, cost: '0.29' }],
  ['the same cost in other digits', limits, { ...limits, cost: '0.300' }],
  ['a first limit', noLimits, limits],
];

test.each(notRaised)('%s is no more than before', (_what, from, to) => {
  expect(isRaised(from, to)).toBe(false);
});

test('only a key with the scope host may raise a limit', () => {
  const more = { ...limits, iterations: 11 };
  expect(() => refuseRaise({ scopes: new Set(['run', 'admin']) }, limits, more)).toThrow('scope host');
  refuseRaise({ scopes: new Set(['run', 'host']) }, limits, more);
  refuseRaise({ scopes: new Set(['run']) }, more, limits);
});
