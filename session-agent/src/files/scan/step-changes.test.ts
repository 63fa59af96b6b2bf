import { expect, test } from 'vitest';
import { StepChanges } from './step-changes.ts';

const file = 'f3:1.0:7';
const alone = { concurrent: false, isCut: false };
const created = (path: string) => ({ path, before: null, after: file });

test('omits a file that was created and deleted, and lists one that was deleted and created again', () => {
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

test('lists two names that look the same once, so that each path has one change', () => {
  const changes = new StepChanges();
  changes.add([created('n\xff'), created('n\xfe')], alone);
  expect(changes.list()).toMatchObject([{ path: 'n\ufffd', omission: 'invalid-name' }]);
});

test('cuts off very long paths as too many, and lists those before them', () => {
  const changes = new StepChanges();
  const long = (name: number) => created(`${'d/'.repeat(2000)}${name}`);
  changes.add([created('first'), ...Array.from({ length: 3000 }, (_, name) => long(name))], alone);
  const list = changes.list();
  expect(list.length).toBeLessThan(1100);
  expect([list.some(({ path }) => path === 'first'), list.at(-1)?.omission]).toEqual([true, 'too-many']);
});

test('reports that a scan was cut, and still lists changes', () => {
  const changes = new StepChanges();
  changes.add([created('a')], { concurrent: false, isCut: true });
  changes.add([created('b')], alone);
  expect(changes.list().map(({ path, omission }) => [path, omission])).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['', 'too-many'],
  ]);
});
