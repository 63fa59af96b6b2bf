import { type PolicyRules, policyPresets } from '@holdfast/specs/public';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, decideLanguage } from './decide.ts';
import { isTighter } from './is-tighter.ts';

const { unrestricted, 'safe-analysis': analysis, 'safe-edit': edit } = policyPresets;

test('takes each preset for tighter than unrestricted and not the other way round', () => {
  for (const preset of [analysis, edit]) {
    expect(isTighter(unrestricted, preset)).toBe(true);
    expect(isTighter(preset, unrestricted)).toBe(false);
    expect(isTighter(preset, preset)).toBe(true);
  }
  expect(isTighter(analysis, edit)).toBe(false);
  expect(isTighter(edit, analysis)).toBe(false);
});

test.each<[string, Partial<PolicyRules>]>([
  ['an operation that is allowed no more', { allowedOperations: ['world.*'] }],
  ['an operation that is denied', { deniedOperations: ['x'] }],
  ['a path that may not be read', { world: { ...unrestricted.world, readPatterns: ['a/**'] } }],
  ['a path that may not be written', { world: { ...unrestricted.world, writePatterns: [] } }],
  ['a world that is only read', { world: { ...unrestricted.world, readOnly: true } }],
  ['changes that wait', { world: { ...unrestricted.world, proposalMode: true } }],
  ['no completions', { llm: { ...unrestricted.llm, allowComplete: false } }],
  ['no intents', { llm: { ...unrestricted.llm, allowIntent: false } }],
  ['fewer tokens', { llm: { ...unrestricted.llm, maxTokensPerCall: 10 } }],
  ['no shells', { execution: { ...unrestricted.execution, allowShellCommands: false } }],
  ['no network', { execution: { ...unrestricted.execution, allowNetworkCalls: false } }],
  ['no eval', { execution: { ...unrestricted.execution, allowSubeval: false } }],
])('tells %s from its opposite', (_, change) => {
  const next = { ...unrestricted, ...change };
  expect([isTighter(unrestricted, next), isTighter(next, unrestricted)]).toEqual([true, false]);
});

test('takes a policy under which code may commit for looser', () => {
  const approving = { ...edit, world: { ...edit.world, codeMayCommit: true } };
  expect([isTighter(edit, approving), isTighter(approving, edit)]).toEqual([false, true]);
});

const names = ['a', 'b', 'a.b', 'b.a', 'world.read', 'world.write', 'llm.complete', 'eval', 'A', 'World.Write'];
const paths = ['a', 'b', 'a/a', 'a/b', 'a/b/a', 'b/a/b', 'ab/a'];
const operationPattern = fc.constantFrom('*', 'a', 'b', 'a*', '*.b', 'a.*', '*a*', 'world.*', 'WORLD.*', 'world.write');
const pathPattern = fc.constantFrom(
  '**',
  '*',
  'a',
  'a/*',
  'a/**',
  '**/a',
  'a/**/a',
  '*/b',
  'a*/**',
  '**/b/**',
  '*/**/*',
);
const few = <T>(pattern: fc.Arbitrary<T>) => fc.array(pattern, { maxLength: 3 });
const flag = fc.boolean();
const rules: fc.Arbitrary<PolicyRules> = fc.record({
  allowedOperations: few(operationPattern),
  deniedOperations: few(operationPattern),
  world: fc.record({
    readPatterns: few(pathPattern),
    writePatterns: few(pathPattern),
    readOnly: flag,
    proposalMode: flag,
    codeMayCommit: flag,
  }),
  llm: fc.record({ allowComplete: flag, allowIntent: flag, maxTokensPerCall: fc.constantFrom(null, 1, 5) }),
  execution: fc.record({ allowShellCommands: flag, allowNetworkCalls: flag, allowSubeval: flag }),
});

/** A policy, and one with a few rules of another: most pairs of random policies have nothing to do with each other. */
const pairs = fc.tuple(rules, rules, fc.subarray(Object.keys(unrestricted) as (keyof PolicyRules)[], { maxLength: 2 }));

test('a tighter policy allows nothing that the other one denies', () => {
  const seen = { tighter: 0, differing: 0 };
  fc.assert(
    fc.property(pairs, ([policy, other, changes]) => {
      const next = { ...policy, ...Object.fromEntries(changes.map((name) => [name, other[name]])) };
      if (!isTighter(policy, next)) return;
      seen.tighter += 1;
      if (changes.length > 0) seen.differing += 1;
      const asked = [
        ...names.map((operation) => ({ operation })),
        ...paths.flatMap((path) => ['world.read', 'world.write'].map((operation) => ({ operation, path }))),
        ...[1, 2, 9].map((maxTokens) => ({ operation: 'llm.complete', maxTokens })),
      ];
      for (const one of asked)
        if (decide(next, one).allowed) expect(decide(policy, one), JSON.stringify(one)).toEqual({ allowed: true });
      if (decideLanguage(next, 'bash').allowed) expect(decideLanguage(policy, 'bash').allowed).toBe(true);
      expect(policy.world.proposalMode && !next.world.proposalMode).toBe(false);
      expect(next.world.codeMayCommit && !policy.world.codeMayCommit).toBe(false);
    }),
    { seed: 45, numRuns: 20_000 },
  );
  expect(seen.tighter).toBeGreaterThan(2000);
  expect(seen.differing).toBeGreaterThan(500);
});
