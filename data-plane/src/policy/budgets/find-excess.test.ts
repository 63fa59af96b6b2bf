import { expect, test } from 'vitest';
import type { BudgetRow } from '../../registry/budgets/find-budgets.ts';
import { excessOf } from './find-excess.ts';

const unused: BudgetRow = {
  id: 'bud_0',
  tenant: 'acme',
  sessionId: 'ses_0',
  iterations: null,
  iterationsUsed: 0,
  iterationsReserved: 0,
  timeMs: null,
  timeUsedMs: 0,
  timeReservedMs: 0,
  tokens: null,
  tokensUsed: 0,
  cost: null,
  costUsed: '0',
  isUsedUp: false,
  remaining: { iterations: null, timeSeconds: null, tokens: null, cost: null },
};
const withLimits = (given: Partial<BudgetRow>, remaining: Partial<BudgetRow['remaining']> = {}): BudgetRow => ({
  ...unused,
  ...given,
  remaining: { ...unused.remaining, ...remaining },
});

test('a budget without limits, or with something left, allows a step', () => {
  expect(excessOf(unused, 1)).toBeNull();
  const left = withLimits({ iterations: 2, timeMs: 5, timeUsedMs: 3 }, { iterations: 1 });
  expect(excessOf(left, 1)).toBeNull();
});

test.each([
  ['10 iterations', withLimits({ iterations: 10, iterationsUsed: 10, isUsedUp: true }, { iterations: 0 })],
  ['1.5 s of execution', withLimits({ timeMs: 1500, timeUsedMs: 1499.5, isUsedUp: true })],
  ['7 tokens', withLimits({ tokens: 7, tokensUsed: 9, isUsedUp: true }, { tokens: 0 })],
  ['a cost of 0.3', withLimits({ cost: '0.3', costUsed: '0.3', isUsedUp: true }, { cost: '0' })],
])('a budget that is used up says so: %s', (what, budget) => {
  expect(excessOf(budget, 1)).toMatchObject({
    slug: 'budget-exceeded',
    options: { detail: `the budget of session ses_0 is used up: ${what}` },
  });
});

test('a step that finds everything reserved may come again', () => {
  const iterations = withLimits({ iterations: 1, iterationsReserved: 1 }, { iterations: 0 });
  const time = withLimits({ timeMs: 5000, timeUsedMs: 1000, timeReservedMs: 4000 });
  for (const budget of [iterations, time]) {
    expect(excessOf(budget, 1)).toMatchObject({ slug: 'budget-exceeded', options: { retryAfterSeconds: 1 } });
  }
  expect(excessOf(iterations, 0)).toBeNull();
});
