import { expect, test } from 'vitest';
import { separateForbidden, type Tree } from './separate-forbidden.ts';
import { worldRules } from './world-rules.ts';

const file = (path: string, sha256 = 'new') => ({ path, sha256, size: 1, executable: false });
const tree = (paths: string[], directories: string[]): Tree => ({
  files: new Map(paths.map((path) => [path, file(path, 'old')])),
  directories: new Set(directories),
});
const expected = tree(['a', 'd/x', 'd/y', 'h/secret'], ['d', 'h', 'e']);

const rules = (given: object = {}) =>
  worldRules({
    ...{ readPatterns: ['**'], filledPatterns: ['**'], writePatterns: ['**'] },
    ...{ readOnly: false, isProposing: false, isFull: false, codeMayCommit: false, ...given },
  });

const nothing = { put: [], unstored: [], remove: [], directories: { put: [], remove: [] } };
const separate = (difference: object, given = rules()) => {
  const { allowed, refused } = separateForbidden({ ...nothing, ...difference }, { expected, rules: given });
  return { ...allowed, put: allowed.put.map(({ path }) => path), refused: Object.fromEntries(refused) };
};

test('a file in place of others removes them by name, also if the agent did not say that they are gone', () => {
  expect(separate({ put: [file('d')] })).toMatchObject({ put: ['d'], remove: ['d/x', 'd/y'] });
  expect(separate({ put: [file('a/b/c')] })).toMatchObject({ remove: ['a'], directories: { put: ['a', 'a/b'] } });
  expect(separate({ directories: { put: ['a/b'], remove: [] } })).toMatchObject({
    remove: ['a'],
    directories: { put: ['a', 'a/b'] },
  });
});

test('a file that would remove one which may not be removed is refused with it', () => {
  const narrow = rules({ writePatterns: ['d', 'd/x', 'a/*'] });
  expect(separate({ put: [file('d')], remove: ['d/x', 'd/y'] }, narrow)).toMatchObject({
    put: [],
    refused: { d: 'world.writePatterns', 'd/y': 'world.writePatterns' },
  });
  expect(separate({ put: [file('a/b')], remove: ['a'] }, narrow)).toMatchObject({
    put: [],
    remove: [],
    directories: { put: [] },
  });
  expect(separate({ unstored: ['d'] }, narrow).refused).toEqual({ d: 'world.writePatterns' });
});

test('hidden files can be neither removed nor replaced, whatever an agent reports', () => {
  const blind = rules({ readPatterns: ['a', 'd/**', 'h'] });
  const report = {
    remove: ['h/secret'],
    put: [file('h'), file('h/secret', 'old')],
    directories: { put: [], remove: ['h'] },
  };
  expect(separate(report, blind)).toMatchObject({ put: [], remove: [], directories: { remove: [] } });
  expect(separate({ remove: ['h/secret'] }, blind).refused).toEqual({});
  expect(separate({ put: [file('h')] }, blind).refused).toEqual({ h: 'world.readPatterns' });
});

test('a directory goes only if nothing that stays is in it', () => {
  expect(separate({ remove: ['d/x'], directories: { put: [], remove: ['d', 'e'] } }).directories.remove).toEqual(['e']);
  expect(separate({ remove: ['d/x', 'd/y'], directories: { put: [], remove: ['d'] } }).directories.remove).toEqual([
    'd',
  ]);
});

test('a file that is there already does not count as changed, and neither does the deletion of one that is not', () => {
  const report = { put: [file('a', 'old')], remove: ['nothing'], directories: { put: ['d'], remove: ['nothing'] } };
  expect(separate(report)).toEqual({ put: [], remove: [], directories: { put: [], remove: [] }, refused: {} });
  expect(separate(report, rules({ readOnly: true })).refused).toEqual({});
});

test('everything is refused if too many proposals are open', () => {
  const full = rules({ isProposing: true, isFull: true });
  const report = { put: [file('n')], remove: ['a'], directories: { put: ['new'], remove: ['e'] } };
  expect(separate(report, full).refused).toEqual({
    n: 'world.proposalMode',
    a: 'world.proposalMode',
    new: 'world.proposalMode',
    e: 'world.proposalMode',
  });
});

test('the last of two reports about one path counts, and a file above another one is left out', () => {
  expect(separate({ put: [file('n', '1'), file('n', '2'), file('n/m')] }).put).toEqual(['n/m']);
});
