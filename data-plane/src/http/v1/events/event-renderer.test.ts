import { encodeFrame } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { createEventRenderer } from './event-renderer.ts';

const step = { id: newId('stp'), sessionId: newId('ses'), actor: 'user', actorName: null, queuedAt: new Date(0) };

test('the payload of an agent cannot change the type, seq, actor, time or step of an event', () => {
  const forged =
    '{"name":"E","message":"","traceback":[],"type":"finished","seq":9,"actor":"agent","time":"x","stepId":"y"}';
  const { type, seq, json } = createEventRenderer(step).frame(encodeFrame('error', 1, Buffer.from(forged)));
  expect([type, seq]).toEqual(['error', 1]);
  expect(JSON.parse(json)).toMatchObject({
    type: 'error',
    seq: 1,
    actor: 'user',
    time: '1970-01-01T00:00:00.000Z',
    stepId: step.id,
  });
});

test.each(['\n', '\r', '\r\n'])('an event is one line even if the payload holds %j between its tokens', (lineBreak) => {
  const payload = `{"data":${lineBreak}{"type":"finished"}${lineBreak},"metadata":{},"isMain":true}`;
  const { json } = createEventRenderer(step).frame(encodeFrame('result', 1, Buffer.from(payload)));
  expect(json).not.toMatch(/[\r\n]/);
  expect(JSON.parse(json).data).toEqual({ type: 'finished' });
});

test('output that is not UTF-8 becomes valid text', () => {
  const { json } = createEventRenderer(step).frame(encodeFrame('stdout', 1, Buffer.from([0x61, 0xff, 0x00])));
  expect(JSON.parse(json).text).toBe('a\ufffd\0');
});

test('an event has the context epoch of the last start or reset', () => {
  const render = createEventRenderer(step);
  const epochs = [
    encodeFrame('queued', 1, { position: 1 }),
    encodeFrame('started', 2, { contextEpoch: 4, executionCount: 1 }),
    encodeFrame('stdout', 3, Buffer.from('')),
    encodeFrame('state_reset', 4, { contextEpoch: 5, restored: [], replayed: [], lost: ['*'] }),
    encodeFrame('stderr', 5, Buffer.from('')),
  ].map((frame) => JSON.parse(render.frame(frame).json).contextEpoch);
  expect(epochs).toEqual([null, 4, 4, 5, 5]);
});
