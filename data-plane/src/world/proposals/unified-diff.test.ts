import { createHash, randomBytes } from 'node:crypto';
import { applyPatch } from 'diff';
import { expect, test, vi } from 'vitest';
import { textDiff, unifiedDiffs } from './unified-diff.ts';

/** Contents by digest, and a change from one to another. */
function stored() {
  const bytes = new Map<string, Buffer>();
  const put = (content: string | Buffer) => {
    const buffer = Buffer.from(content);
    const sha256 = createHash('sha256').update(buffer).digest('hex');
    bytes.set(sha256, buffer);
    return { sha256, size: buffer.length, executable: false };
  };
  const contents = {
    async open(sha256: string) {
      const found = bytes.get(sha256);
      async function* read() {
        yield found as Buffer;
      }
      return found ? { size: found.length, read } : null;
    },
  };
  const change = (before: string | Buffer | null, after: string | Buffer | null) => ({
    ...{ path: 'f', kind: 'file' as const },
    ...{ before: before === null ? null : put(before), after: after === null ? null : put(after) },
  });
  return { contents, change };
}

test.each([
  ['a\nb\nc\n', 'a\nB\nc\n'],
  ['a\nb', 'a\nb\n'],
  ['', 'text'],
  [null, 'a\nb\n'],
  [null, 'no end'],
  [null, ''],
  ['a\nb', null],
  ['\r\n', '\n'],
  [`${'x\n'.repeat(50)}y\n`, `y\n${'x\n'.repeat(50)}`],
])('the diff of %j and %j leads from one to the other', (old, fresh) => {
  const diff = textDiff({ path: 'd/f', old, fresh }) ?? '';
  const lines = diff.split('\n');
  const at = lines.findIndex((line) => line.startsWith('---'));
  expect(lines.slice(at, at + 2)).toEqual(
    at < 0 ? [] : [old === null ? '--- /dev/null' : '--- a/d/f', fresh === null ? '+++ /dev/null' : '+++ b/d/f'],
  );
  expect(applyPatch(old ?? '', diff, { autoConvertLineEndings: false })).toBe(fresh ?? '');
});

test('a name with a line break cannot forge a line of the diff', () => {
  const diff = textDiff({ path: 'a\n+forged', old: 'a\n', fresh: 'b\n' }) ?? '';
  expect(diff.split('\n').filter((line) => line === '+forged')).toEqual([]);
});

test('files that are binary, too large or too different have no diff, and say so', async () => {
  const { contents, change } = stored();
  const lines = (count: number, sign: string) =>
    Array.from({ length: count }, (_, line) => `${sign}${line}\n`).join('');
  const omissions = await unifiedDiffs(contents, [
    change('a', Buffer.from([0x61, 0])),
    change(Buffer.from([0xff, 0xfe]), null),
    change('a', 'x'.repeat(256 * 1024 + 1)),
    change('a', '\n'.repeat(10_001)),
    change(lines(5000, 'a'), lines(5000, 'b')),
    { ...change('a', 'a'), kind: 'directory' },
    change('same', 'same'),
  ]);
  expect(omissions.map(({ diffOmission }) => diffOmission)).toEqual([
    ...['binary', 'binary', 'too-large', 'too-large', 'too-different'],
    ...[null, null],
  ]);
  expect(omissions.every(({ diff }) => diff === null)).toBe(true);
});

test('all diffs of a proposal together are bounded', async () => {
  const { contents, change } = stored();
  const large = () => change(null, `${randomBytes(100_000).toString('hex')}\n`);
  const diffs = await unifiedDiffs(contents, Array.from({ length: 20 }, large));
  const length = diffs.reduce((sum, { diff }) => sum + (diff?.length ?? 0), 0);
  expect(length).toBeGreaterThan(1024 * 1024);
  expect(length).toBeLessThan(1024 * 1024 + 256 * 1024);
  expect(diffs.at(-1)).toEqual({ diff: null, diffOmission: 'too-large' });
});

test('diffs of modes are bounded together as well, since paths may be long', async () => {
  const { contents, change } = stored();
  const { before } = change('same', 'same');
  const named = { ...change('same', 'same'), path: 'd/'.repeat(2000), after: { ...before, executable: true } };
  const diffs = await unifiedDiffs(
    contents,
    Array.from({ length: 300 }, () => named) as Parameters<typeof unifiedDiffs>[1],
  );
  expect(diffs.reduce((sum, { diff }) => sum + (diff?.length ?? 0), 0)).toBeLessThan(1024 * 1024 + 16 * 1024);
  expect(diffs[0]?.diff).toMatch(/old mode 100644\nnew mode 100755\n$/);
  expect(diffs.at(-1)).toEqual({ diff: null, diffOmission: 'too-large' });
});

const hostile: [string, (line: number) => string, (line: number) => string][] = [
  ['nothing in common', (line) => `a${line}`, (line) => `b${line}`],
  ['every other line in common', (line) => `${line}`, (line) => (line % 2 ? `${line}` : `x${line}`)],
  ['two lines in all orders', (line) => `${line % 2}`, (line) => `${(line >> 1) % 2}`],
  ['random lines of a small alphabet', (line) => `${(line * 7919) % 13}`, (line) => `${(line * 104_729) % 11}`],
  [
    'long lines with a common beginning',
    (line) => `${'x'.repeat(20)}${line}`,
    (line) => `${'x'.repeat(20)}${line + 1}`,
  ],
];

/** How many rounds the search for a diff takes, each of which asks for the time once, if each takes `roundMs`. */
function roundsFor({ old, fresh }: { old: string; fresh: string }, roundMs: number): number {
  let nowMs = 0;
  const now = vi.spyOn(Date, 'now').mockImplementation(() => {
    nowMs += roundMs;
    return nowMs;
  });
  try {
    textDiff({ path: 'f', old, fresh });
    return now.mock.calls.length;
  } finally {
    now.mockRestore();
  }
}

test.each(hostile)(
  'looking for the diff of files with %s ends after a number of rounds, and after a time',
  (_, one, other) => {
    const text = (line: (number: number) => string) =>
      Array.from({ length: 9000 }, (_, number) => line(number)).join('\n');
    const texts = { old: text(one), fresh: text(other) };
    expect(roundsFor(texts, 0)).toBeLessThanOrEqual(1002);
    expect(roundsFor(texts, 1)).toBeLessThanOrEqual(42);
  },
);
