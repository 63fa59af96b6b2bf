import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { createLineReader, encodeLines } from './line-codec.ts';
import type { ReceivedMessage } from './parse-message.ts';

const stepId = newId('stp');

test('sends the texts after their request, each as a line of JSON without a quotation mark escaped by a backslash', () => {
  const code = 'echo "a\\" \\\\"\n\té';
  const [head, ...texts] = String(
    encodeLines({ type: 'execute', stepId, number: 1, code, nonce: 'ab', env: { A: '"', B: '' } }),
  )
    .trimEnd()
    .split('\n');
  expect(JSON.parse(String(head))).toEqual({ type: 'execute', stepId, number: 1, nonce: 'ab', texts: 5 });
  expect(texts.map((text) => JSON.parse(text))).toEqual([code, 'A', '"', 'B', '']);
  expect(texts.join('')).not.toContain('\\"');
});

test('sends the end of input without a text, and an empty line with an empty text', () => {
  const lines = (text: string | null) => String(encodeLines({ type: 'input', stepId, text })).split('\n').length - 2;
  expect([lines(null), lines('')]).toEqual([0, 1]);
});

test('reads messages whole and in order from chunks of any size', () => {
  const messages = [
    { type: 'ready', version: 'é'.repeat(20) },
    { type: 'done', stepId, status: 'succeeded' },
  ];
  const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  for (let size = 1; size <= bytes.length; size += 5) {
    const seen: ReceivedMessage[] = [];
    const read = createLineReader((message) => seen.push(message));
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    expect(seen).toEqual(messages);
  }
});

test('rejects an endless line and a line that is not a message', () => {
  const read = createLineReader(() => expect.unreachable());
  expect(() => read(Buffer.from('nothing\n'))).toThrow('not JSON');
  const endless = createLineReader(() => expect.unreachable());
  const part = Buffer.alloc(1024 * 1024, 'x');
  expect(() => {
    for (let parts = 0; parts < 20; parts++) endless(part);
  }).toThrow('over the limit');
});
