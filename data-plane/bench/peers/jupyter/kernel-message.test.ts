import { expect, test } from 'vitest';
import { decodeMessage, encodeRequest } from './kernel-message.ts';

const request = {
  channel: 'shell',
  id: 'm1',
  type: 'execute_request',
  session: 's1',
  content: { code: '"é"' },
} as const;

test('a request is read as it was written', () => {
  const { content, ...read } = decodeMessage(encodeRequest(request));
  expect(read).toEqual({ channel: 'shell', type: 'execute_request', parentId: null });
  expect(JSON.parse(content.toString())).toEqual({ code: '"é"' });
});

test('the offsets count from the first byte, and the last one is the length', () => {
  const bytes = encodeRequest(request);
  expect(bytes.readBigUInt64LE(0)).toBe(6n);
  const offsets = [1, 2, 3, 4, 5, 6].map((i) => Number(bytes.readBigUInt64LE(8 * i)));
  expect(offsets[0]).toBe(56);
  expect(bytes.subarray(offsets[0], offsets[1]).toString()).toBe('shell');
  expect(offsets[5]).toBe(bytes.length);
});
