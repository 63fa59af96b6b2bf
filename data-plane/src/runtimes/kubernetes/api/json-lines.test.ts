import { expect, test } from 'vitest';
import { jsonLines } from './json-lines.ts';

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string, size = 7) => all(jsonLines(cut(text, size)));

async function all(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const got: unknown[] = [];
  for await (const value of values) got.push(value);
  return got;
}

test.each([1, 3, 1000])('yields whole values however the stream is cut (%i bytes at a time)', async (size) => {
  const values = [{ type: 'ADDED', name: 'żółw 🐢' }, 'a\\nb', 3];
  expect(await read(values.map((value) => `${JSON.stringify(value)}\n`).join(''), size)).toEqual(values);
});

test('yields the values before the end of a stream that ends within a line', async () => {
  const got: unknown[] = [];
  const reading = (async () => {
    for await (const value of jsonLines(cut('{"a":1}\n{"b":', 1000))) got.push(value);
  })();
  await expect(reading).rejects.toThrow('within a line');
  expect(got).toEqual([{ a: 1 }]);
});

test('rejects a line that is not JSON, and one without an end', async () => {
  await expect(read('{"a":1}\nnonsense\n')).rejects.toThrow('is not JSON');
  async function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024, 'x');
  }
  await expect(all(jsonLines(endless()))).rejects.toThrow('is longer than');
});
