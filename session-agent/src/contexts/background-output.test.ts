import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { BackgroundOutput } from './background-output.ts';

const [one, two] = [newId('stp'), newId('stp')];
const euro = Buffer.from('€');

test('joins a character that comes in pieces, even if other steps write in between', () => {
  const background = new BackgroundOutput();
  background.push('stdout', Buffer.concat([Buffer.from('a'), euro.subarray(0, 1)]), one);
  background.push('stdout', Buffer.from('other'), two);
  background.push('stderr', Buffer.from('err'), one);
  background.push('stdout', euro.subarray(1, 2), one);
  background.push('stdout', euro.subarray(2), one);
  const items = background.page(0).items.map(({ seq, stepId, stream, text }) => [seq, stepId, stream, text]);
  expect(items).toEqual([
    [1, one, 'stdout', 'a'],
    [2, two, 'stdout', 'other'],
    [3, one, 'stderr', 'err'],
    [4, one, 'stdout', '€'],
  ]);
});

test('stores only the latest output and counts the dropped bytes', () => {
  const background = new BackgroundOutput(1000);
  for (let index = 0; index < 100; index++) background.push('stdout', `${index % 10}`.repeat(36), null);
  const { items, droppedBytes } = background.page(0);
  expect(items.map(({ seq }) => seq)).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99, 100]);
  expect(droppedBytes).toBe(90 * 36);
  expect(background.page(98).items.map(({ text }) => text[0])).toEqual(['8', '9']);
  background.push('stderr', Buffer.alloc(5000, 'x'), one);
  const last = background.page(0);
  expect(last.items.map(({ text }) => text.length)).toEqual([936]);
  expect(last.droppedBytes).toBe(100 * 36 + 5000 - 936);
});

test('stores comm messages between the output, and drops one that is larger than all that is stored', () => {
  const background = new BackgroundOutput(1000);
  const message = {
    commId: 'c',
    kind: 'message',
    targetName: null,
    data: { n: 1 },
    metadata: {},
    buffers: [],
  } as const;
  background.push('stdout', Buffer.from('before'), one);
  background.pushComm({ ...message, buffers: [] }, one);
  background.pushComm({ ...message, buffers: ['x'.repeat(1000)] }, two);
  background.push('stdout', Buffer.from('after'), two);
  const { items, droppedBytes } = background.page(0);
  expect(items).toMatchObject([
    { seq: 1, stream: 'stdout', text: 'before' },
    { seq: 2, stream: 'comm', stepId: one, text: '', comm: { ...message, buffers: [] } },
    { seq: 3, stream: 'stdout', text: 'after' },
  ]);
  expect(droppedBytes).toBeGreaterThan(1000);
});

test('replaces bytes that are not text with replacement characters', () => {
  const background = new BackgroundOutput();
  background.push('stdout', Buffer.from([0xff, 0x61, 0x0a]), null);
  background.push('stdout', '\ud800b', null);
  expect(background.page(0).items.map(({ text }) => text)).toEqual(['�a\n', '�b']);
});
