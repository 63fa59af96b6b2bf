import { kernelMessageSchema } from '@holdfast/specs/kernel';
import { newId } from '@holdfast/specs/public';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainMessage } from './plain-message.ts';

const stepId = newId('stp');
const result = { type: 'result', stepId, data: { 'text/plain': '1' }, metadata: {}, isMain: true };
const done = { type: 'done', stepId, status: 'succeeded' };

/** Every field that a message of any type has. */
const names = [...new Set(kernelMessageSchema.options.flatMap(({ shape }) => Object.keys(shape)))];

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(stepId, 'result', 'done', 'succeeded', 'failed', 'interrupted', true, false, 1),
  fc.dictionary(fc.constantFrom('text/plain', '__proto__', 'x'.repeat(257)), fc.oneof(fc.string(), fc.jsonValue())),
);
/** A valid message in which some fields are missing, changed or new. */
const message = fc
  .tuple(
    fc.constantFrom<Record<string, unknown>>(result, done),
    fc.dictionary(fc.constantFrom(...names, 'other', '__proto__'), anything, { maxKeys: 3 }),
    fc.subarray(names, { maxLength: 2 }),
  )
  .map(([message, changed, missing]) => {
    const fields = Object.entries({ ...message, ...changed }).filter(([name]) => !missing.includes(name));
    return JSON.parse(JSON.stringify(Object.fromEntries(fields)));
  });

test('accepts only what the schema accepts, unchanged', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(message, fc.jsonValue()), (value) => {
      const plain = plainMessage(value);
      if (plain === null) return;
      accepted += 1;
      expect(kernelMessageSchema.parse(value)).toEqual(plain);
    }),
    { numRuns: 1000 },
  );
  expect(accepted).toBeGreaterThan(20);
});

test.each([result, { ...result, isMain: false }, done, { ...done, status: 'failed', late: true }])(
  'checks %j without the schema',
  (value) => {
    expect(plainMessage(value)).toEqual(kernelMessageSchema.parse(value));
  },
);

test.each([
  { ...result, stepId: 'stp_1' },
  { ...result, data: [] },
  { ...result, data: { ['x'.repeat(257)]: 'text' } },
  { ...result, isMain: 1 },
  { ...done, status: 'died' },
  { ...done, late: 1 },
])('leaves %j to the schema, which rejects it', (value) => {
  expect(plainMessage(value)).toBeNull();
  expect(kernelMessageSchema.safeParse(value).success).toBe(false);
});
