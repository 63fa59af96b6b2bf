import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { refusalFrom } from '../agent/agent-error.ts';
import { agentProblem } from './agent-problem.ts';

const told = (body: object) =>
  agentProblem({ hint: () => {} }, { sessionId: 'ses', error: refusalFrom(400, Buffer.from(JSON.stringify(body))) });

const refusal = (errors: object[]) =>
  new Problem('invalid-request', { detail: '1 fault', errors: errors as never }).body();

test('the faults that an agent finds reach the caller', () => {
  const errors = [{ pointer: '/cwd', detail: 'leads out of the workspace' }];
  expect((told(refusal(errors)) as Problem).body()).toMatchObject({ code: 'invalid-request', errors });
});

test('at most 100 faults reach the caller, without characters that cannot be stored', () => {
  const errors = Array.from({ length: 150 }, (_, index) => ({ pointer: `/${index}`, detail: 'a\0b' }));
  const listed = (told(refusal(errors)) as Problem).options.errors ?? [];
  expect(listed).toHaveLength(100);
  expect(listed[0]?.detail).not.toContain('\0');
});

test('a refusal without faults has none', () => {
  expect((told(new Problem('quota-exceeded').body()) as Problem).body()).not.toHaveProperty('errors');
});

test('an answer with malformed faults counts as a failure of the sandbox', () => {
  expect(told({ ...refusal([]), errors: [{ pointer: 1 }] })).toMatchObject({ slug: 'sandbox-failed' });
});

test('a time limit of several requests that has passed says that the sandbox did not answer', () => {
  const hints: string[] = [];
  const error = new DOMException('late', 'TimeoutError');
  const problem = agentProblem({ hint: (id) => hints.push(id) }, { sessionId: 'ses', error });
  expect([problem, hints]).toMatchObject([{ slug: 'sandbox-unreachable' }, ['ses']]);
});

test('an agent that says why its sandbox failed reaches the caller, and one that breaks its protocol does not', () => {
  const failed = told(new Problem('sandbox-failed', { detail: 'the state could not be saved: no\0room' }).body());
  expect((failed as Problem).body()).toMatchObject({
    code: 'sandbox-failed',
    detail: 'the state could not be saved: no\uFFFDroom',
  });
  const broken = told(new Problem('database-unavailable', { detail: 'of another part' }).body());
  expect((broken as Problem).body()).not.toHaveProperty('detail');
});
