import { runStepSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { plainRunStep } from './run-step-body.ts';

test.each(['', '1 + 1', 'é 😀', 'x\n'.repeat(5000)])('gives the same as the schema', (code) => {
  expect(plainRunStep({ code })).toEqual(runStepSchema.parse({ code }));
});

test.each([
  null,
  undefined,
  'x',
  [],
  {},
  { code: 1 },
  { code: 'x', language: 'node' },
  { code: 'x', more: undefined },
  { code: '\0' },
  { code: '\uD800' },
  { code: 'x'.repeat(10_001) },
])('leaves %j to the schema', (value) => {
  expect(plainRunStep(value)).toBeNull();
});
