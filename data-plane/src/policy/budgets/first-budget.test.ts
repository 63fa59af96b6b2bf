import type { Scope } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { budgetOfFork, ownBudget, sharedBudget } from './first-budget.ts';
import { noLimits } from './limits.ts';

const as = (...scopes: Scope[]) => ({ scopes: new Set(scopes) });
const none = { budget: {} };
const source = { id: 'ses_0', budgetOf: 'bud_0' };
const free = { id: 'ses_0', budgetOf: null };
const own = (limits: object) => ({ id: expect.stringMatching(/^bud_/), limits: { ...noLimits, ...limits } });

test('a session without any limit has no budget', () => {
  expect(ownBudget(none, { caller: as('run') })).toBeUndefined();
  expect(ownBudget(none, { caller: as('run'), budget: { tokens: null } })).toBeUndefined();
  expect(ownBudget(none, { caller: as('run'), budget: { tokens: 0 } })).toEqual(own({ tokens: 0 }));
});

test('a session shares the budget that another one has', () => {
  expect(sharedBudget(source)).toEqual({ id: 'bud_0', limits: null });
  expect(() => sharedBudget(free)).toThrow('has no budget');
});

test('a fork shares the budget of its session, unless the host gives it one of its own', () => {
  const budget = { iterations: 5 };
  expect(budgetOfFork(none, { caller: as('run'), session: source })).toEqual({ id: 'bud_0', limits: null });
  expect(() => budgetOfFork(none, { caller: as('run'), session: source, budget })).toThrow('scope host');
  expect(budgetOfFork(none, { caller: as('host'), session: source, budget })).toEqual(own(budget));
});

test('a fork of a session without a budget may have one', () => {
  const budget = { iterations: 5 };
  expect(budgetOfFork(none, { caller: as('run'), session: free })).toBeUndefined();
  expect(budgetOfFork(none, { caller: as('run'), session: free, budget })).toEqual(own(budget));
});
