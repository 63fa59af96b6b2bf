import { expect, test } from 'vitest';
import { planFiles } from './reserve-files.ts';

const files = (sizes: readonly number[]) => sizes.map((size, index) => ({ path: String(index), size }));
const roomy = {
  room: { session: 100, tenant: 100 },
  replaced: new Map<string, number>(),
  limits: { keptFileBytesMax: 100, keptStepBytesMax: 100 },
  filesMax: 100,
};

test('chooses each file that fits, in their order, and names the first limit that another one exceeds', () => {
  const room = { session: 20, tenant: 15 };
  expect(planFiles(files([10, 6, 11, 5, 1]), { ...roomy, room })).toEqual({
    omissions: [null, 'tenant-limit', 'session-limit', null, 'tenant-limit'],
    bytes: 15,
  });
  const limits = { keptFileBytesMax: 9, keptStepBytesMax: 12 };
  expect(planFiles(files([10, 9, 4, 3]), { ...roomy, limits })).toEqual({
    omissions: ['too-large', null, 'step-limit', null],
    bytes: 12,
  });
  expect(planFiles(files([1, 1, 0]), { ...roomy, filesMax: 1 })).toEqual({
    omissions: [null, 'step-limit', 'step-limit'],
    bytes: 1,
  });
});

test('a file needs room for what it adds to the one that it replaces, and a smaller one needs none', () => {
  const replaced = new Map(Object.entries({ 0: 10, 1: 10 }));
  const room = { session: 2, tenant: 2 };
  expect(planFiles(files([12, 3, 1]), { ...roomy, room, replaced })).toEqual({
    omissions: [null, null, 'session-limit'],
    bytes: 2,
  });
});

test('a session beyond a limit that was lowered stores only what needs no room', () => {
  const room = { session: 5, tenant: -5 };
  expect(planFiles(files([0, 1, 6]), { ...roomy, room })).toEqual({
    omissions: [null, 'tenant-limit', 'session-limit'],
    bytes: 0,
  });
});
