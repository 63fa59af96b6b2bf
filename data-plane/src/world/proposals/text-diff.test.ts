import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textDiff } from './unified-diff.ts';

const texts = [null, '', 'a\n', 'a', 'a\nb\nc\n', 'a\nB\nc', '\n', 'é\r\nü\r\n', '-- a\n++ b\n'];
const pairs = texts.flatMap((old) => texts.filter((fresh) => fresh !== old).map((fresh) => [old, fresh] as const));

type State = { text: string; mode: string } | null;

/** The state of a path after git has applied the diff from `old` to `fresh`. Git knows one permission: whether the owner may execute a file. */
function applied(old: State, fresh: State, name = 'a.txt'): State {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-diff-'));
  const file = join(folder, name);
  try {
    if (old?.mode === '120000') symlinkSync(old.text, file);
    else if (old) writeFileSync(file, old.text, { mode: Number.parseInt(old.mode, 8) & 0o777 });
    const modes = { ...(old && { oldMode: old.mode }), ...(fresh && { newMode: fresh.mode }) };
    const diff = textDiff({ path: name, old: old?.text ?? null, fresh: fresh?.text ?? null, ...modes }) ?? '';
    const options = ['apply', '--unidiff-zero', '--whitespace=nowarn', '-'];
    execFileSync('git', options, { cwd: folder, input: diff, stdio: 'pipe' });
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats) return null;
    if (stats.isSymbolicLink()) return { text: readlinkSync(file), mode: '120000' };
    return { text: readFileSync(file, 'utf8'), mode: stats.mode & 0o100 ? '100755' : '100644' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(pairs)('git applies the diff from %j to %j', (old, fresh) => {
  const state = (text: string | null): State => (text === null ? null : { text, mode: '100644' });
  expect(applied(state(old), state(fresh))).toEqual(state(fresh));
});

const link = (text: string) => ({ text, mode: '120000' });
const file = (mode: string, text = 'a\n') => ({ text, mode });

test.each<[State, State]>([
  [null, file('100755')],
  [file('100755'), null],
  [file('100644'), file('100755')],
  [file('100755'), file('100644', 'b\n')],
  [file('100600'), file('100755')],
  [null, link('../x')],
  [link('x'), link('/etc/passwd')],
  [link('x'), null],
  [file('100644'), link('x')],
  [link('x'), file('100755')],
])('git applies the diff from the mode and content %j to %j', (old, fresh) => {
  expect(applied(old, fresh)).toEqual(fresh);
});

test('git takes a mode that it does not know for the nearest that it knows', () => {
  expect(applied(file('100644'), file('100600'))).toEqual(file('100644'));
  expect(applied(file('100644'), file('100711'))).toEqual(file('100755'));
});

test.each(['a b', 'a"b', 'a\nb', 'ä', 'a\tb'])('git applies the diff of a mode at the path %j', (name) => {
  expect(applied(file('100644'), file('100755'), name)).toEqual(file('100755'));
});
