import { encodeFrame, type Frame, framesIn, operationCallSchema } from '@holdfast/specs/agent';
import { newId, operationArgumentsBytesMax, operationIdFor } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { FrameIntake } from './frame-intake.ts';

const stepId = newId('stp');
const intake = () => new FrameIntake(Date.now(), { stepId });
const frame = (seq: number, payload: object): Frame => {
  const [read] = framesIn(encodeFrame('operation_request', seq, payload));
  return read as Frame;
};
const call = (number: number, name = 'llm.complete', args = '["Hi"]') =>
  frame(number, { call: number, name, arguments: args });
const shown = (buffers: Buffer[]) =>
  buffers.flatMap((bytes) => [...framesIn(bytes)]).map(({ seq, payload }) => ({ seq, ...JSON.parse(`${payload}`) }));

test('shows a call for the host under its id, and leaves no gap for one that the data-plane answers', () => {
  const one = intake();
  const frames = one.take([call(1, 'world.list'), call(2), call(3, 'Eval'), call(4, 'eval'), call(5)]);
  const request = { name: 'llm.complete', arguments: ['Hi'] };
  expect(shown(frames)).toEqual([
    { seq: 1, operationId: operationIdFor(stepId, 2), ...request },
    { seq: 2, operationId: operationIdFor(stepId, 5), ...request },
  ]);
  expect(one.takeCalls().map(({ kind }) => kind)).toEqual(['own', 'host', 'own', 'own', 'host']);
  expect(one.takeCalls()).toEqual([]);
  expect(shown(intake().take([call(1)]))).toEqual(shown(intake().take([call(1)])));
});

test.each([
  ['a call again', [call(1), frame(2, { call: 1, name: 'a', arguments: '[]' })]],
  ['a call too early', [frame(1, { call: 2, name: 'a', arguments: '[]' })]],
  ['a name that is none', [call(1, '../a')]],
  ['arguments that are not a text', [frame(1, { call: 1, name: 'a', arguments: [] })]],
  ['arguments that are too long', [call(1, 'a', 'x'.repeat(operationArgumentsBytesMax + 1))]],
])('rejects %s from an agent', (_, frames) => {
  expect(() => intake().take(frames)).toThrow();
});

test.each([
  ['that are no list', '{}'],
  ['that are not JSON', '[1'],
  ['that are nested too deep', '['.repeat(1000) + ']'.repeat(1000)],
  ['that have too many parts', `[${'{"a":1},'.repeat(20_000)}1]`],
])('arguments %s get an error, and nothing of them is shown', (_, args) => {
  const one = intake();
  expect(one.take([call(1, 'llm.complete', args)])).toEqual([]);
  expect(one.takeCalls()).toMatchObject([{ kind: 'refused' }]);
});

test('a step asks its host at most a thousand times', () => {
  const one = intake();
  const frames = one.take(Array.from({ length: 1002 }, (_, at) => call(at + 1)));
  expect(frames).toHaveLength(1000);
  expect(one.takeCalls().filter(({ kind }) => kind === 'refused')).toHaveLength(2);
});

test('a frame that is shown has no field that the agent has added', () => {
  const [sent] = intake().take([
    frame(1, { call: 1, name: 'a', arguments: '[]', operationId: 'mine', type: 'finished' }),
  ]);
  expect(shown([sent as Buffer])).toEqual([
    { seq: 1, operationId: operationIdFor(stepId, 1), name: 'a', arguments: [] },
  ]);
  expect(operationCallSchema.safeParse({ call: 0, name: 'a', arguments: '[]' }).success).toBe(false);
});
