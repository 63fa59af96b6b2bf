import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { operationResultSchema } from '../operation.ts';
import { policyRequestSchema } from '../policy.ts';
import { faultWords } from './fault-words.ts';
import { invalidRequest } from './problems.ts';

const pointers = (schema: ZodType, value: unknown) => faults(schema, value).map(({ pointer }) => pointer);

function faults(schema: ZodType, value: unknown) {
  const { error } = schema.safeParse(value, { error: faultWords });
  return error ? (invalidRequest(error).options.errors ?? []) : [];
}

test('a value that has no form of several is told all of them', () => {
  const [fault, ...more] = faults(policyRequestSchema, 'safe');
  expect([fault?.pointer, more]).toEqual(['', []]);
  expect(fault?.detail).toContain('"safe-edit"');
  expect(fault?.detail).toContain('must be an object');
});

test('faults inside a value name the place', () => {
  expect(pointers(policyRequestSchema, { world: { writePatterns: 'src' } })).toEqual(['/world/writePatterns']);
  expect(pointers(policyRequestSchema, { world: {}, shell: false, 'a/b': 1 })).toEqual(['/shell', '/a~1b']);
});

test('an object is compared with the form that it comes closest to', () => {
  expect(faults(operationResultSchema, {})).toEqual([{ pointer: '/value', detail: 'must be a JSON value' }]);
  expect(pointers(operationResultSchema, { error: 'no' })).toEqual(['/error']);
  expect(pointers(operationResultSchema, { error: { name: 'X' } })).toEqual(['/error/message']);
  expect(pointers(operationResultSchema, { value: 1, usage: { token: 1 } })).toContain('/usage/token');
});
