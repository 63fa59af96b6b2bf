import type { AgentContext } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { stepsByContext } from './steps-by-context.ts';

const older = newId('ctx', 1000);
const newer = newId('ctx', 2000);

const context = (contextId: string, language: 'python' | 'node', contextEpoch = 1): AgentContext => ({
  contextId,
  language,
  contextEpoch,
  state: 'idle',
  cwd: '.',
});
const step = (contextId: string, code: string, contextEpoch = 1) => ({ contextId, contextEpoch, code });

const codeOf = (...given: Parameters<typeof stepsByContext<ReturnType<typeof step>>>) =>
  stepsByContext(...given).map(({ ran, ...context }) => ({ ...context, code: ran.map(({ code }) => code) }));

test('steps are grouped by context and keep the order of its kernel', () => {
  const steps = [
    step('python', 'a = 1\n'),
    step('node', 'let a = 1'),
    step(older, 'b = 1'),
    step('python', 'a += 1\n\n'),
    step('node', 'a++'),
  ];
  expect(codeOf(steps, [context('python', 'python'), context(older, 'python'), context('node', 'node')])).toEqual([
    { contextId: 'node', language: 'node', code: ['let a = 1', 'a++'] },
    { contextId: 'python', language: 'python', code: ['a = 1\n', 'a += 1\n\n'] },
    { contextId: older, language: 'python', code: ['b = 1'] },
  ]);
});

test('default contexts come first, by name, then the others from the oldest to the newest', () => {
  const listed = [
    context(newer, 'node'),
    context('python', 'python'),
    context(older, 'python'),
    context('node', 'node'),
  ];
  const orders = [listed, listed.toReversed()].map((contexts) => stepsByContext([], contexts));
  for (const order of orders) expect(order.map(({ contextId }) => contextId)).toEqual(['node', 'python', older, newer]);
});

test('a step of an earlier epoch and of a context that is gone is left out', () => {
  const steps = [step('python', 'before the reset'), step(older, 'deleted'), step('python', 'after the reset', 2)];
  expect(codeOf(steps, [context('python', 'python', 2)])).toEqual([
    { contextId: 'python', language: 'python', code: ['after the reset'] },
  ]);
});

test('a context without a succeeded step has none', () => {
  expect(stepsByContext([], [context('python', 'python')])).toMatchObject([{ contextId: 'python', ran: [] }]);
});

test('a context that an agent lists twice appears once', () => {
  const twice = [context('python', 'python'), context('python', 'python')];
  expect(stepsByContext([step('python', 'x')], twice)).toHaveLength(1);
});
