import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textDiff } from './unified-diff.ts';

const texts = [null, '', 'a\n', 'a', 'a\nb\nc\n', 'a\nB\nc', '\n', 'é\r\nü\r\n', '-- a\n++ b\n'];
const pairs = texts.flatMap((old) => texts.filter((fresh) => fresh !== old).map((fresh) => [old, fresh] as const));

test.each(pairs)('git applies the diff from %j to %j', (old, fresh) => {
  // A file that appears or disappears without a line has a diff without a hunk, which says nothing to git.
  if ((old ?? '') === (fresh ?? '')) return;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-diff-'));
  const file = join(folder, 'a.txt');
  try {
    if (old !== null) writeFileSync(file, old);
    const diff = textDiff({ path: 'a.txt', old, fresh }) ?? '';
    execFileSync('git', ['apply', '--unidiff-zero', '--whitespace=nowarn', '-'], { cwd: folder, input: diff });
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(fresh);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
