import { expect, test } from 'vitest';
import { StepChanges } from './step-changes.ts';

const file = 'f3:1.0:7';
const alone = { concurrent: false, isCut: false };
const created = (path: string) => ({ path, before: null, after: file });

test('has the targets of links as far as one frame has room for them', () => {
  const changes = new StepChanges();
  const links = Array.from({ length: 500 }, (_, n) => ({ path: `${n}`, before: null, after: `l1:2.0:${n}:777` }));
  changes.add(links, alone);
  const listed = changes.list(() => '\x01'.repeat(4095)).changes;
  expect(JSON.stringify(listed).length).toBeLessThan(2 * 1024 * 1024);
  expect(listed.filter(({ target }) => target !== undefined)).toHaveLength(42);
  expect(listed.every(({ omission }) => omission === 'not-a-file')).toBe(true);
});

test('omits a file that was created and deleted, and lists one that was deleted and created again', () => {
  const changes = new StepChanges();
  changes.add([created('a'), { path: 'b', before: file, after: null }], alone);
  changes.add(
    [
      { path: 'a', before: file, after: null },
      { path: 'b', before: null, after: 'f4:2.0:8:755' },
    ],
    alone,
  );
  expect(changes.list().changes).toEqual([
    {
      path: 'b',
      change: 'modified',
      size: 4,
      concurrent: false,
      version: 'f4:2.0:8:755',
      executable: true,
      mode: '0755',
    },
  ]);
});

test('lists two names that look the same once, so that each path has one change', () => {
  const changes = new StepChanges();
  changes.add([created('n\xff'), created('n\xfe')], alone);
  expect(changes.list().changes).toMatchObject([{ path: 'n\ufffd', omission: 'invalid-name' }]);
});

test('lists directories beside the files, and both if one took the place of the other', () => {
  const changes = new StepChanges();
  const made = { before: null, after: 'd' };
  changes.add(
    [
      { path: 'n\xff', ...made },
      { path: 'd/e', ...made },
      { path: 'd', ...made },
    ],
    alone,
  );
  changes.add(
    [
      { path: 'd/e', before: 'd', after: null },
      { path: 'was-a-file', before: file, after: 'd' },
      { path: 'is-a-file', before: 'd', after: file },
      { path: 'is-a-link', before: 'd', after: 'l3:1.0:9:x' },
    ],
    alone,
  );
  const { changes: files, directories } = changes.list();
  expect(directories).toEqual([
    { path: 'd', change: 'created' },
    { path: 'd/e', change: 'deleted' },
    { path: 'is-a-file', change: 'deleted' },
    { path: 'is-a-link', change: 'deleted' },
    { path: 'was-a-file', change: 'created' },
  ]);
  expect(files.map(({ path, change, omission }) => [path, change, omission])).toEqual([
    ['is-a-file', 'created', undefined],
    ['is-a-link', 'created', 'not-a-file'],
    ['was-a-file', 'deleted', undefined],
  ]);
});

test('counts directories within the limit for files', () => {
  const changes = new StepChanges();
  const made = (_: unknown, number: number) => ({ path: `${number}`, before: null, after: 'd' });
  changes.add(Array.from({ length: 12_000 }, made), alone);
  const { changes: files, directories } = changes.list();
  expect([directories.length, files]).toMatchObject([10_000, [{ path: '', omission: 'too-many' }]]);
});

test('cuts off very long paths as too many, and lists those before them', () => {
  const changes = new StepChanges();
  const long = (name: number) => created(`${'d/'.repeat(2000)}${name}`);
  changes.add([created('first'), ...Array.from({ length: 3000 }, (_, name) => long(name))], alone);
  const list = changes.list().changes;
  expect(list.length).toBeLessThan(1100);
  expect([list.some(({ path }) => path === 'first'), list.at(-1)?.omission]).toEqual([true, 'too-many']);
});

test('reports that a scan was cut, and still lists changes', () => {
  const changes = new StepChanges();
  changes.add([created('a')], { concurrent: false, isCut: true });
  changes.add([created('b')], alone);
  expect(changes.list().changes.map(({ path, omission }) => [path, omission])).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['', 'too-many'],
  ]);
});
