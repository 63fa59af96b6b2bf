import { policyPresets } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { isSameFile } from './same-file.ts';
import { worldRules } from './world-rules.ts';

const unrestricted = { ...policyPresets.unrestricted.world, filledPatterns: ['**'], isProposing: false, isFull: false };
const rules = (changed: Partial<typeof unrestricted>) => worldRules({ ...unrestricted, ...changed });

test.each([
  ['world.readOnly', { readOnly: true }],
  ['world.readPatterns', { readPatterns: ['src/**'] }],
  ['world.readPatterns', { filledPatterns: ['src/**'] }],
  ['world.writePatterns', { writePatterns: ['src/**'] }],
  ['world.proposalMode', { isProposing: true, isFull: true }],
] as const)('%s forbids a change of a file and of a directory', (rule, changed) => {
  const { forbids, forbidsDirectory } = rules(changed as Partial<typeof unrestricted>);
  expect([forbids('d/f'), forbidsDirectory('d')]).toEqual([rule, rule]);
});

test('nothing is forbidden without a rule, and by patterns that match', () => {
  for (const { forbids, forbidsDirectory } of [rules({}), rules({ isProposing: true }), worldRules(null)])
    expect([forbids('d/f'), forbidsDirectory('d')]).toEqual([null, null]);
  const matching = rules({ readPatterns: ['d/*'], writePatterns: ['d/f'] });
  expect([matching.forbids('d/f'), matching.forbidsDirectory('d')]).toEqual([null, null]);
});

const file = { sha256: 'a', executable: false, mode: '0644' };

test.each([
  [{}, true],
  [{ sha256: 'b' }, false],
  [{ mode: '0600' }, false],
  [{ mode: null }, true],
  [{ mode: undefined, executable: true }, false],
  [{ executable: undefined, mode: undefined }, true],
  [{ target: 'x', mode: null }, false],
])('a file with %j is the same as before: %s', (changed, isSame) => {
  expect(isSameFile(file, { ...file, ...changed })).toBe(isSame);
  expect(isSameFile({ ...file, ...changed }, file)).toBe(isSame);
});
