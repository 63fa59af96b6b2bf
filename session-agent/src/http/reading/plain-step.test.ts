import { agentStepSchema } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainStep } from './plain-step.ts';

const stepId = newId('stp');
const step = { stepId, contextId: 'python', code: '1', timeoutMs: 1, queue: 'wait' };

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(stepId, newId('job'), newId('ctx'), 'python', 'bun', 'ir', 'wait', 'reject', 1, 0, 2 ** 53, 1.5, -0),
  fc.array(fc.constantFrom<unknown>(stepId, newId('job'), 'stp_1', 1), { maxLength: 3 }),
);
/** A valid request in which some fields are missing, changed or new. */
const request = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...Object.keys(agentStepSchema.shape), 'other', 'toString', '__proto__'), anything, {
      maxKeys: 3,
    }),
    fc.subarray(Object.keys(step), { maxLength: 1 }),
  )
  .map(([changed, missing]) => {
    const fields = Object.entries({ ...step, ...changed }).filter(
      ([name]) => !missing.includes(name) || name in changed,
    );
    return JSON.parse(JSON.stringify(Object.fromEntries(fields)));
  });

test('accepts only what the schema accepts, unchanged', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(request, fc.jsonValue()), (value) => {
      const plain = plainStep(value);
      if (plain === null) return;
      accepted += 1;
      expect(agentStepSchema.parse(value)).toEqual(plain);
    }),
    { numRuns: 1000 },
  );
  expect(accepted).toBeGreaterThan(20);
});

test.each([
  step,
  { ...step, acks: [newId('stp'), newId('job')], language: 'python' },
  { ...step, contextId: newId('ctx'), stdin: true, ifContextEpoch: 3 },
])('checks %j without the schema', (value) => {
  expect(plainStep(value)).toEqual(agentStepSchema.parse(value));
});

test.each([
  { ...step, acks: Array.from({ length: 10_001 }, () => stepId) },
  { ...step, timeoutMs: 2 ** 53 },
  { ...step, contextId: 'bun' },
  { ...step, stepId: `${stepId}\n` },
  { ...step, other: 1 },
  JSON.parse(JSON.stringify(step).replace('{', '{"__proto__":1,')),
])('leaves %j to the schema, which rejects it', (value) => {
  expect(plainStep(value)).toBeNull();
  expect(agentStepSchema.safeParse(value).success).toBe(false);
});
