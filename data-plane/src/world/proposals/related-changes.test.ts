import { expect, test } from 'vitest';
import type { OpenChange } from '../../registry/proposals/find-proposals.ts';
import { planCommit } from './plan-commit.ts';
import { withDependents } from './related-changes.ts';

const state = (sha256: string) => ({ sha256, size: 1, executable: false });

/** `created d/x` is a file, `created d/` a directory; each has the number of its proposal. */
function changes(...given: readonly [number, string][]): OpenChange[] {
  return given.map(([number, text]) => {
    const [change = '', named = ''] = text.split(' ');
    const path = named.replace(/\/$/, '');
    const kind = named.endsWith('/') ? 'directory' : 'file';
    const isFile = kind === 'file';
    return {
      ...{ proposalId: `prp_${number}`, number, path, kind, change: change as OpenChange['change'] },
      before: isFile && change !== 'created' ? state('old') : null,
      after: isFile && change !== 'deleted' ? state(`new${number}`) : null,
    };
  });
}

const shown = (found: readonly OpenChange[]) =>
  found.map(({ number, change, path, kind }) => `${number} ${change} ${path}${kind === 'directory' ? '/' : ''}`).sort();

type Case = [title: string, open: [number, string][], selected: number[], rejected: string[]];

test.each<Case>([
  [
    'a later change of the same file',
    [
      [1, 'modified a'],
      [2, 'modified a'],
      [2, 'created b'],
    ],
    [0],
    ['1 modified a', '2 modified a'],
  ],
  [
    'nothing earlier',
    [
      [1, 'modified a'],
      [2, 'modified a'],
    ],
    [1],
    ['2 modified a'],
  ],
  [
    'the files in a directory that goes',
    [
      [1, 'created d/'],
      [2, 'created d/x'],
      [3, 'created e'],
    ],
    [0],
    ['1 created d/', '2 created d/x'],
  ],
  [
    'a directory in place of a file that comes back',
    [
      [1, 'deleted a'],
      [2, 'created a/'],
      [2, 'created a/x'],
    ],
    [0],
    ['1 deleted a', '2 created a/', '2 created a/x'],
  ],
  [
    'a file in place of a directory whose files come back',
    [
      [1, 'deleted d/x'],
      [1, 'deleted d/'],
      [1, 'created d'],
    ],
    [0],
    ['1 created d', '1 deleted d/', '1 deleted d/x'],
  ],
  [
    'no directory above a file that goes',
    [
      [1, 'created d/'],
      [1, 'created d/x'],
    ],
    [1],
    ['1 created d/x'],
  ],
  [
    'nothing with a similar name',
    [
      [1, 'created d/'],
      [2, 'created d.txt'],
      [2, 'created dd/x'],
    ],
    [0],
    ['1 created d/'],
  ],
])('a rejection takes along %s', (_, given, selected, rejected) => {
  const open = changes(...given);
  expect(
    shown(
      withDependents(
        selected.map((index) => open[index] as OpenChange),
        open,
      ),
    ),
  ).toEqual(rejected);
});

const world = (paths: string[]) => ({
  files: new Map(paths.map((path) => [path, { path, ...state('old') }])),
  directories: new Set<string>(),
});
const conflict = (detail: string) =>
  expect.objectContaining({ slug: 'proposal-conflict', options: { detail: expect.stringContaining(detail) } });

type Conflict = [title: string, open: [number, string][], selected: number[], world: string[], detail: string];

test.each<Conflict>([
  ['a file that has another content by now', [[1, 'created a']], [0], ['a'], 'has another "a"'],
  ['a file that is gone by now', [[1, 'modified a']], [0], [], 'has another "a"'],
  [
    'an earlier change of the same file',
    [
      [1, 'modified a'],
      [2, 'modified a'],
    ],
    [1],
    ['a'],
    'prp_1',
  ],
  [
    'an earlier deletion above it',
    [
      [1, 'deleted a'],
      [2, 'created a/x'],
    ],
    [1],
    ['a'],
    'prp_1',
  ],
  [
    'an earlier deletion below it',
    [
      [1, 'deleted d/x'],
      [2, 'created d'],
    ],
    [1],
    ['d/x'],
    'prp_1',
  ],
  [
    'a file above it that stays',
    [
      [1, 'deleted a'],
      [1, 'created a/x'],
    ],
    [1],
    ['a'],
    '"a" is in the way',
  ],
  [
    'a file below it that stays',
    [
      [1, 'deleted d/x'],
      [1, 'created d'],
    ],
    [1],
    ['d/x'],
    '"d/x" is in the way',
  ],
  ['a file in place of its directory', [[1, 'created d/']], [0], ['d'], '"d" is in the way'],
])('a commit is refused because of %s', (_, given, selected, paths, detail) => {
  const open = changes(...given);
  const commit = () =>
    planCommit(
      selected.map((index) => open[index] as OpenChange),
      { open, world: world(paths) },
    );
  expect(commit).toThrow(conflict(detail));
});

test('a commit removes a directory only if the world has nothing else in it', () => {
  const open = changes([1, 'deleted d/x'], [1, 'deleted d/']);
  expect(planCommit(open, { open, world: world(['d/x']) }).directories.remove).toEqual(['d']);
  expect(planCommit(open, { open, world: world(['d/x', 'd/y']) }).directories.remove).toEqual([]);
});
