import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { createMessageReader, encodeRequest } from './message-codec.ts';
import type { ReceivedMessage } from './parse-message.ts';

const done = { type: 'done', stepId: newId('stp'), status: 'succeeded' };

function framed(value: unknown): Buffer {
  const json = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json]);
}

test('reads messages whole and in order from chunks of any size', () => {
  const ready = { type: 'ready', version: 'é'.repeat(100) };
  const bytes = Buffer.concat([framed(ready), framed(done), framed(ready)]);
  for (let size = 1; size <= bytes.length; size += 7) {
    const seen: ReceivedMessage[] = [];
    const read = createMessageReader((message) => seen.push(message));
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    expect(seen).toEqual([ready, done, ready]);
  }
});

test('encodes a request as four bytes of length and JSON', () => {
  const bytes = encodeRequest({ type: 'symbols', id: 7 });
  expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
  expect(JSON.parse(bytes.toString('utf8', 4))).toEqual({ type: 'symbols', id: 7 });
});

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
test.for([
  ['too long', Buffer.from('01000001', 'hex'), 'over the limit'],
  ['not JSON', framed('{{'), 'not JSON'],
  ['of an unknown type', framed({ type: 'bye' }), 'not valid'],
  ['given a status that steps do not have', framed({ ...done, status: 'lost' }), 'status'],
  ['given an invalid id', framed({ ...done, stepId: '../x' }), 'stepId'],
  [
    'too deep',
    framed(`{"type":"result","stepId":"${done.stepId}","data":{"x":${deep}},"metadata":{},"isMain":true}`),
    '',
  ],
] as const)('rejects a message that is %s', ([, bytes, fault]) => {
  const read = createMessageReader(() => expect.unreachable());
  expect(() => read(bytes)).toThrow(fault);
});

test('leaves out an invalid symbol and passes on the others', () => {
  const good = { name: 'x', kind: 'variable', type: 'int', preview: '1', size: null, stepId: null };
  const messages: unknown[] = [];
  const symbols = [good, { ...good, preview: 'x'.repeat(513) }, null];
  createMessageReader((message) => messages.push(message))(framed({ type: 'symbols', id: 1, symbols }));
  expect(messages).toEqual([{ type: 'symbols', id: 1, symbols: [good] }]);
});

test('keeps the place of an invalid result and passes on the message after it', () => {
  const result = { type: 'result', stepId: done.stepId, data: {}, metadata: {}, isMain: true };
  const messages: unknown[] = [];
  const read = createMessageReader((message) => messages.push(message));
  for (const data of [{ ['a'.repeat(257)]: 'x' }, 'none', null]) read(framed({ ...result, data }));
  read(framed(done));
  const dropped = { type: 'dropped', stepId: done.stepId };
  expect(messages).toEqual([dropped, dropped, dropped, done]);
});
