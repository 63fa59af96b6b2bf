import { policyPresets, policyRequestSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { policyView, resolvePolicy } from './resolve-policy.ts';

const analysis = policyPresets['safe-analysis'];

test('keeps no rules for a policy that is unrestricted, however it is given', () => {
  expect(resolvePolicy('unrestricted', analysis)).toBeNull();
  expect(resolvePolicy({ preset: 'unrestricted', execution: { allowSubeval: true } }, analysis)).toBeNull();
});

test('begins with the named preset, or else with the given policy', () => {
  expect(resolvePolicy({ preset: 'safe-analysis', deniedOperations: [] }, null)).toEqual({
    ...analysis,
    deniedOperations: [],
  });
  expect(resolvePolicy({ llm: { maxTokensPerCall: 5 } }, analysis)).toEqual({
    ...analysis,
    llm: { ...analysis.llm, maxTokensPerCall: 5 },
  });
});

test('names the preset only while no rule differs from it', () => {
  expect(policyView(null)).toEqual({ preset: 'unrestricted', ...policyPresets.unrestricted });
  expect(policyView(resolvePolicy('safe-edit', null)).preset).toBe('safe-edit');
  expect(policyView(resolvePolicy({ preset: 'safe-edit', world: { writePatterns: ['a'] } }, null)).preset).toBeNull();
});

test.each([
  [{ world: { writePatterns: ['../a'] } }],
  [{ world: { writePatterns: ['/a'] } }],
  [{ world: { writePatterns: ['a/'] } }],
  [{ world: { writePatterns: ['a**'] } }],
  [{ world: { writePatterns: Array.from({ length: 101 }, () => 'a') } }],
  [{ deniedOperations: ['a b'] }],
  [{ execution: { allowEverything: true } }],
  ['safe'],
])('refuses a policy that has faults: %j', (request) => {
  expect(policyRequestSchema.safeParse(request).success).toBe(false);
});
