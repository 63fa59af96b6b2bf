import { expect, test } from 'vitest';
import { jsonSlices, streamedJson, streamedText } from './json-slices.ts';

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* given(...slices: string[]): AsyncGenerator<string> {
  yield* slices;
}

const textOf = async (value: unknown) => (await allOf(jsonSlices(value))).join('');

test.each([
  [{}],
  [[]],
  [{ a: 1, b: [true, null, { c: 'é"\\\n' }], d: undefined, e: {} }],
  ['😀'.repeat(100_000)],
  [{ list: Array.from({ length: 5000 }, (_, index) => ({ index, text: 'x'.repeat(50) })) }],
])('is the JSON of the value, case %#', async (value) => {
  expect(JSON.parse(await textOf(value))).toEqual(JSON.parse(JSON.stringify(value)));
});

test('a long text comes in slices', async () => {
  const slices = await allOf(jsonSlices({ text: 'x'.repeat(1_000_000) }));
  expect(Math.max(...slices.map(({ length }) => length))).toBeLessThan(200_000);
});

test('streamed parts stand in their places, even if a slice ends in the middle of a character', async () => {
  const value = {
    before: 1,
    text: streamedText(given('a"b', '\ud83d', '\ude00\n')),
    list: streamedJson(given('[1,', '2]')),
    after: [streamedText(given())],
  };
  expect(JSON.parse(await textOf(value))).toEqual({ before: 1, text: 'a"b😀\n', list: [1, 2], after: [''] });
});
