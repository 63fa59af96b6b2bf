import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { argumentsDigest } from '../kernel-process/operations/arguments-digest.ts';
import { PastCalls } from './past-calls.ts';

const stepId = newId('stp');
const call = (number: number, name: string, value: unknown, text = '[]') => ({
  call: number,
  name,
  digest: argumentsDigest(text),
  answer: value === null ? null : { value: value as number },
});
const pastOf = (...calls: ReturnType<typeof call>[]) =>
  new PastCalls([{ stepId, code: '', status: 'succeeded', replay: true, calls }]);
const made = (name: string, text = '[]') => ({ name, arguments: text });

test('calls of the same name and arguments get their answers in order, whichever comes between', () => {
  const past = pastOf(call(1, 'a', 1), call(2, 'b', 2), call(3, 'a', 3));
  expect(past.answer(stepId, made('b'))).toEqual({ value: 2 });
  expect(past.answer(stepId, made('a'))).toEqual({ value: 1 });
  expect(past.answer(stepId, made('a'))).toEqual({ value: 3 });
  expect(past.answer(stepId, made('a'))).toEqual({
    refusal: 'the answer to its call 4, a, is not known: it did not call that before, or it was not kept',
  });
});

test('a call with other arguments, or whose answer was not kept, is refused by its number and name', () => {
  const past = pastOf(call(1, 'a', 1), call(2, 'b', null));
  expect(past.answer(stepId, made('a', '[1]'))).toEqual({
    refusal:
      'the answer to its call 1, a, is not known: it did not call that with these arguments before, or it was not kept',
  });
  expect(past.answer(stepId, made('b'))).toEqual({ refusal: 'the answer to its call 2, b, was not kept' });
  expect(past.answer(newId('stp'), made('a'))).toMatchObject({ refusal: expect.stringContaining('call 1, a') });
});
