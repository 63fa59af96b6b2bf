import { expect, test } from 'vitest';
import { StepChanges } from './step-changes.ts';

const file = 'f3:1.0:7';
const alone = { concurrent: false, isCut: false };
const created = (path: string) => ({ path, before: null, after: file });

test('a file that came and went is no change, and one that went and came back otherwise is one', () => {
  const changes = new StepChanges();
  changes.add([created('a'), { path: 'b', before: file, after: null }], alone);
  changes.add(
    [
      { path: 'a', before: file, after: null },
      { path: 'b', before: null, after: 'f4:2.0:8' },
    ],
    alone,
  );
  expect(changes.list()).toEqual([{ path: 'b', change: 'modified', size: 4, concurrent: false, version: 'f4:2.0:8' }]);
});

test('two names that read alike are told once, so that each path names one change', () => {
  const changes = new StepChanges();
  changes.add([created('n\xff'), created('n\xfe')], alone);
  expect(changes.list()).toMatchObject([{ path: 'n\ufffd', omission: 'invalid-name' }]);
});

test('very long paths are cut off as too many, and those before them stay', () => {
  const changes = new StepChanges();
  const long = (name: number) => created(`${'d/'.repeat(2000)}${name}`);
  changes.add([created('first'), ...Array.from({ length: 3000 }, (_, name) => long(name))], alone);
  const list = changes.list();
  expect(list.length).toBeLessThan(1100);
  expect([list.some(({ path }) => path === 'first'), list.at(-1)?.omission]).toEqual([true, 'too-many']);
});

test('a scan that was cut is said to be, and changes are still told', () => {
  const changes = new StepChanges();
  changes.add([created('a')], { concurrent: false, isCut: true });
  changes.add([created('b')], alone);
  expect(changes.list().map(({ path, omission }) => [path, omission])).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['', 'too-many'],
  ]);
});
