import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareScans, withClosed } from './compare-scans.ts';
import type { Scan } from './scan-record.ts';

const scan = (entries: readonly (readonly [path: string, version: string])[], isCut = false): Scan => ({
  records: Buffer.from(entries.map(([path, version]) => `${version} ${path}\0`).join(''), 'latin1'),
  count: entries.length,
  isCut,
});
const entries = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-d ]{1,3}$/), fc.stringMatching(/^f[0-2]:[01]$/)), {
  selector: ([path]) => path,
});

test('finds the same differences between two scans as between two maps, in any order', () => {
  fc.assert(
    fc.property(entries, entries, fc.boolean(), (before, after, isCut) => {
      const [old, fresh] = [new Map(before), new Map(after)];
      const expected = [...new Set([...old.keys(), ...fresh.keys()])]
        .map((path) => ({ path, before: old.get(path) ?? null, after: fresh.get(path) ?? null }))
        .filter((one) => one.before !== one.after && !(isCut && one.after === null));
      const found = compareScans(scan(before), scan(after, isCut));
      expect(new Set(found)).toEqual(new Set(expected));
      expect(found).toHaveLength(expected.length);
    }),
    { numRuns: 2000 },
  );
});

test('finds one change among a hundred thousand records, at the beginning, in the middle and at the end', () => {
  const many = Array.from({ length: 100_000 }, (_, file) => [`folder/file-${file}`, `f1:${file}`] as const);
  for (const at of [0, 54_321, 99_999]) {
    const changed = [...many.slice(0, at), [`folder/file-${at}`, 'f2:x'] as const, ...many.slice(at + 1)];
    expect(compareScans(scan(many), scan(changed))).toEqual([
      { path: `folder/file-${at}`, before: `f1:${at}`, after: 'f2:x' },
    ]);
    expect(compareScans(scan(many), scan(many.toSpliced(at, 1)))).toHaveLength(1);
  }
});

test('entries of a closed directory are unchanged while it is closed, and deleted if they are gone when it can be read again', () => {
  const open = scan([
    ['d', 'd'],
    ['d/gone', 'f1:1'],
    ['d/sub', 'd'],
    ['d/sub/kept', 'f1:2'],
    ['d2', 'f1:3'],
  ]);
  const shut = [
    ['d', 'd!'],
    ['d2', 'f1:3'],
  ] as const;
  const closed = withClosed(open, scan(shut));
  expect(compareScans(open, closed)).toEqual([{ path: 'd', before: 'd', after: 'd!' }]);
  const later = withClosed(closed, scan(shut));
  expect(compareScans(closed, later)).toEqual([]);
  const opened = [
    ['d', 'd'],
    ['d/sub', 'd'],
    ['d/sub/kept', 'f1:2'],
    ['d2', 'f1:3'],
  ] as const;
  expect(compareScans(later, withClosed(later, scan(opened)))).toEqual([
    { path: 'd', before: 'd!', after: 'd' },
    { path: 'd/gone', before: 'f1:1', after: null },
  ]);
});
