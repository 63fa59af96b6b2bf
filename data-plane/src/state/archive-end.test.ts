import { archiveEnd, manifestLengthDigits, reportedNamesMax } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { parseArchiveEnd } from './archive-end.ts';

const endOf = (manifest: string) =>
  Buffer.from(`${manifest}${String(Buffer.byteLength(manifest)).padStart(manifestLengthDigits, '0')}${archiveEnd}`);
const head = '"format":1,"language":"python","interpreter":"Python 3.13"';

test('a manifest with as many names as it may have is read', () => {
  const saved = Array.from({ length: reportedNamesMax }, (_, i) => ({ name: `name_${i}`, kind: 'variable' }));
  const notSaved = saved.map(({ name }) => ({ name, reason: 'a value of type generator cannot be saved' }));
  const manifest = `{${head},"saved":${JSON.stringify(saved)},"notSaved":${JSON.stringify(notSaved)}}`;
  expect(parseArchiveEnd(endOf(manifest))).toMatchObject({ saved, notSaved });
});

test.each([
  ['keys', Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join()],
  ['lists', `"x":[${'[],'.repeat(1_000_000)}1]`],
  ['depth', `"x":${'['.repeat(1000)}${']'.repeat(1000)}`],
])('a manifest with too many %s is refused before it is parsed', (_, rest) => {
  const manifest = `{${head},"saved":[],"notSaved":[],${rest}}`;
  expect(() => parseArchiveEnd(endOf(manifest))).toThrow(
    expect.objectContaining({ name: 'AgentError', kind: 'invalid' }),
  );
});
