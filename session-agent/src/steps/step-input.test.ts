import { expect, test } from 'vitest';
import { StepInput } from './step-input.ts';

function connected() {
  const input = new StepInput();
  const asked: string[] = [];
  const answers: (string | null)[] = [];
  const connect = () =>
    input.connect({ ask: ({ prompt }) => void asked.push(prompt), answer: (text) => void answers.push(text) });
  const request = (prompt: string) => input.request({ prompt, password: false });
  return { input, asked, answers, connect, request };
}

test('answers requests with earlier lines in order, without asking the client', () => {
  const { input, asked, answers, connect, request } = connected();
  input.give('one');
  input.give('');
  connect();
  request('a');
  request('b');
  expect([asked, answers]).toEqual([[], ['one', '']]);
  request('c');
  expect([asked, answers, input.waiting?.prompt]).toEqual([['c'], ['one', ''], 'c']);
  input.give('three');
  expect([answers, input.waiting]).toEqual([['one', '', 'three'], null]);
});

test('takes a line once however often it comes with the same key', () => {
  const { input, answers, connect, request } = connected();
  connect();
  for (const key of ['a', 'a', 'b']) input.give('same', key);
  for (let count = 0; count < 3; count++) request('?');
  expect(answers).toEqual(['same', 'same']);
  input.give(null, 'end');
  expect(() => input.give(null, 'end')).not.toThrow();
  expect(answers).toEqual(['same', 'same', null]);
  expect(() => input.give('more', 'c')).toThrow(expect.objectContaining({ slug: 'stdin-closed' }));
});

test('answers all requests after the last line with the end of input', () => {
  const { input, asked, answers, connect, request } = connected();
  connect();
  input.give('last');
  input.give(null);
  for (let count = 0; count < 3; count++) request('?');
  expect([asked, answers]).toEqual([[], ['last', null, null]]);
  expect(() => input.give('more')).toThrow(expect.objectContaining({ slug: 'stdin-closed' }));
});

test('replaces a request that the code no longer waits for', () => {
  const { input, asked, answers, connect, request } = connected();
  connect();
  request('given up');
  request('again');
  input.give('line');
  expect([asked, answers, input.waiting]).toEqual([['given up', 'again'], ['line'], null]);
});

test('stores at most 1 MiB ahead, counting empty lines', () => {
  const { input, answers, connect, request } = connected();
  expect(() => {
    for (let count = 0; count < 100_000; count++) input.give('');
  }).toThrow(expect.objectContaining({ slug: 'body-too-large' }));
  connect();
  request('?');
  input.give('');
  expect(answers).toEqual(['']);
  expect(() => input.give('')).toThrow(expect.objectContaining({ slug: 'body-too-large' }));
});

test('gives the end of input to code that asks without end', () => {
  const { input, asked, answers, connect, request } = connected();
  connect();
  for (let count = 0; count < 100; count++) request('x'.repeat(60_000));
  expect([asked.length, answers.length, input.waiting]).toEqual([69, 31, null]);
});

test('rejects input for a step that has ended', () => {
  const { input, connect, request } = connected();
  connect();
  request('?');
  input.end();
  expect(input.waiting).toBe(null);
  expect(() => input.give('late')).toThrow(expect.objectContaining({ slug: 'stdin-closed' }));
});
