import { type PolicyRules, policyPresets } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { askedOf } from './asked-of.ts';
import { type Asked, decide, decideLanguage } from './decide.ts';
import { resolvePolicy } from './resolve-policy.ts';

const { unrestricted, 'safe-analysis': analysis, 'safe-edit': edit } = policyPresets;
const narrow = resolvePolicy({ preset: 'safe-edit', world: { writePatterns: ['src/**'] } }, null) as PolicyRules;
const ruleOf = (policy: PolicyRules | null, asked: Asked) => {
  const decision = decide(policy, asked);
  return decision.allowed ? null : decision.rule;
};
const changed = (change: Partial<PolicyRules>): PolicyRules => ({ ...unrestricted, ...change });

test.each<[PolicyRules | null, Asked, string | null]>([
  [null, { operation: 'world.write', path: 'a' }, null],
  [null, { operation: 'world..write' }, 'operationName'],
  [unrestricted, { operation: 'a/b' }, 'operationName'],
  [unrestricted, { operation: 'a'.repeat(129) }, 'operationName'],
  [unrestricted, { operation: 'jira.createTicket' }, null],
  [analysis, { operation: 'world.write', path: 'a' }, 'deniedOperations: world.write'],
  [analysis, { operation: 'World.Write', path: 'a' }, 'deniedOperations: world.write'],
  [{ ...analysis, deniedOperations: [] }, { operation: 'world.write', path: 'a' }, 'world.readOnly'],
  [analysis, { operation: 'world.read', path: 'a' }, null],
  [analysis, { operation: 'eval' }, null],
  [edit, { operation: 'world.write', path: 'a' }, null],
  [narrow, { operation: 'world.write', path: 'src/a' }, null],
  [narrow, { operation: 'world.write', path: 'b' }, 'world.writePatterns'],
  [changed({ allowedOperations: ['world.*'] }), { operation: 'llm.complete' }, 'allowedOperations'],
  [changed({ allowedOperations: ['world.*'] }), { operation: 'World.read' }, 'allowedOperations'],
  [changed({ deniedOperations: ['LLM.*'] }), { operation: 'llm.complete' }, 'deniedOperations: LLM.*'],
  [
    changed({ world: { ...unrestricted.world, readPatterns: ['a/**'] } }),
    { operation: 'world.read', path: 'b' },
    'world.readPatterns',
  ],
  [changed({ llm: { ...unrestricted.llm, allowComplete: false } }), { operation: 'llm.complete' }, 'llm.allowComplete'],
  [changed({ llm: { ...unrestricted.llm, allowIntent: false } }), { operation: 'LLM.intent' }, 'llm.allowIntent'],
  [
    changed({ execution: { ...unrestricted.execution, allowSubeval: false } }),
    { operation: 'eval' },
    'execution.allowSubeval',
  ],
  [
    changed({ execution: { ...unrestricted.execution, allowSubeval: false } }),
    { operation: 'fixpoint' },
    'execution.allowSubeval',
  ],
  [unrestricted, { operation: '__proto__' }, null],
  [unrestricted, { operation: 'constructor' }, null],
])('decides under %j on %j: %o', (policy, asked, rule) => {
  expect(ruleOf(policy, asked)).toBe(rule);
});

test.each([
  [{ maxTokens: 100 }, null],
  [{ max_tokens: 101 }, 'llm.maxTokensPerCall'],
  [{ maxTokens: '5' }, 'llm.maxTokensPerCall'],
  [{ maxTokens: Number.NaN }, 'llm.maxTokensPerCall'],
  [{ maxTokens: 5, max_tokens: 200 }, 'llm.maxTokensPerCall'],
  [{}, null],
])('compares the tokens of a call %j with the most that one may ask for: %o', (options, rule) => {
  const policy = changed({ llm: { ...unrestricted.llm, maxTokensPerCall: 100 } });
  for (const operation of ['llm.complete', 'llm.intent']) {
    expect(ruleOf(policy, askedOf(operation, ['a prompt', options]))).toBe(rule);
  }
});

test('asks for no path if the argument is not a text, so that the call is wrong and not forbidden', () => {
  for (const args of [[], [7], [{ toString: 'a' }]]) {
    expect(askedOf('world.write', args)).toEqual({ operation: 'world.write' });
  }
});

test.each([
  ['bash', 'execution.allowShellCommands'],
  ['sh', 'execution.allowShellCommands'],
  ['a-jupyter-kernel', 'execution.allowShellCommands'],
  ['python', null],
  ['node', null],
  ['bun', null],
])('decides under safe-analysis on code in %s: %o', (language, rule) => {
  expect(decideLanguage(analysis, language)).toEqual(rule ? { allowed: false, rule } : { allowed: true });
  expect(decideLanguage(edit, language)).toEqual({ allowed: true });
  expect(decideLanguage(null, language)).toEqual({ allowed: true });
});
