import { expect, test } from 'vitest';
import { UpdateRoom } from './update-room.ts';

const MiB = 1024 * 1024;

test('an update takes room for each further result that has its id, until another one takes its place', () => {
  const room = new UpdateRoom();
  for (let i = 0; i < 5; i++) room.noteResult('a');
  expect(room.take('a', 2 * MiB)).toBe(true);
  room.noteResult('b');
  room.noteResult('b');
  expect(room.take('b', 1)).toBe(false);
  for (let i = 0; i < 100; i++) expect(room.take('a', MiB)).toBe(true);
  expect(room.take('b', 4 * MiB)).toBe(true);
  expect(room.take('b', 4 * MiB + 1)).toBe(false);
});

test('the updates of a result that alone has its id need no room, however long they are', () => {
  const room = new UpdateRoom();
  room.noteResult('a');
  expect(room.take('a', 64 * MiB)).toBe(true);
  expect(room.take('of an earlier step', 64 * MiB)).toBe(true);
});

test('a step updates a bounded number of outputs', () => {
  const room = new UpdateRoom();
  for (let i = 0; i < 10_000; i++) expect(room.take(`${i}`, 1)).toBe(true);
  expect(room.take('one more', 1)).toBe(false);
  expect(room.take('0', 1)).toBe(true);
});
