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

const textOf = async (value: unknown) =>
  Buffer.concat((await allOf(jsonSlices(value))).map((slice) => Buffer.from(slice))).toString();

async function* bytes(...pieces: number[][]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

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
    text: streamedText(bytes([0x61, 0x22, 0x62], [0xf0, 0x9f], [0x98, 0x80, 0x0a])),
    list: streamedJson(given('[1,', '2]')),
    after: [streamedText(bytes())],
  };
  expect(JSON.parse(await textOf(value))).toEqual({ before: 1, text: 'a"b😀\n', list: [1, 2], after: [''] });
});
