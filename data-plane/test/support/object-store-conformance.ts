import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { ObjectStore } from '../../src/contents/object-store.ts';
import { chunksOf, readAll, someBytes } from './byte-source.ts';

export type StoreUnderTest = {
  store: ObjectStore;
  /** Announces an object, as the contents do before a `put`. */
  announce(key: string): Promise<void>;
  /** How many pieces, parts and uploads lie in the store that belong to no whole object of these keys. */
  leftovers(wholeKeys: readonly string[]): Promise<number>;
};

const piece = 512 * 1024;
const part = 8 * 1024 * 1024;

/** The behaviour that contents need from every store. */
export function objectStoreConformance(under: () => StoreUnderTest): void {
  const put = async (bytes: Buffer) => {
    const key = newId('obj');
    await under().announce(key);
    await under().store.put(key, chunksOf(bytes));
    return key;
  };
  const read = (key: string, start: number, end: number) => readAll(under().store.get(key, { start, end }));

  test.each([0, 1, piece - 1, piece, piece + 1, part - 1, part, part + 1, 40 * 1024 * 1024])(
    'an object of %i bytes comes back as it was put',
    async (size) => {
      const bytes = someBytes(size, 'whole');
      const key = await put(bytes);
      expect((await read(key, 0, size)).equals(bytes)).toBe(true);
    },
  );

  test('any part of an object is read without the rest', async () => {
    const size = 5 * 1024 * 1024 + 77;
    const bytes = someBytes(size, 'parts');
    const key = await put(bytes);
    const ranges = [
      [0, 1],
      [size - 1, size],
      [piece - 1, piece + 1],
      [piece, 2 * piece],
      [3, 3 * piece + 5],
      [4 * 1024 * 1024 - 1, size],
      [17, 17],
    ] as const;
    for (const [start, end] of ranges) {
      expect((await read(key, start, end)).equals(bytes.subarray(start, end)), `${start} to ${end}`).toBe(true);
    }
  });

  test('an object that is not there, or shorter than is asked for, is an error and no short answer', async () => {
    const key = await put(someBytes(piece + 5, 'short'));
    await expect(read(key, 0, piece + 6)).rejects.toThrow();
    await expect(read(key, 2 * piece, 2 * piece + 1)).rejects.toThrow();
    await expect(read(newId('obj'), 0, 1)).rejects.toThrow();
  });

  test('a source that fails leaves nothing behind, and its error is the one that is thrown', async () => {
    const failure = new Error('the connection was cut');
    for (const size of [10, piece + 1, 2 * part + 1]) {
      const key = newId('obj');
      await under().announce(key);
      await expect(under().store.put(key, chunksOf(someBytes(size, 'cut'), { failure }))).rejects.toBe(failure);
      await expect(read(key, 0, 1)).rejects.toThrow();
      expect(await under().leftovers([])).toBe(0);
    }
  });

  test('a put that is aborted leaves nothing behind', async () => {
    const abort = new AbortController();
    const key = newId('obj');
    await under().announce(key);
    async function* source() {
      yield* chunksOf(someBytes(2 * part, 'aborted'));
      abort.abort(new Error('nobody waits any more'));
      yield* chunksOf(someBytes(part, 'aborted'));
    }
    await expect(under().store.put(key, source(), abort.signal)).rejects.toThrow('nobody waits any more');
    await expect(read(key, 0, 1)).rejects.toThrow();
    expect(await under().leftovers([])).toBe(0);
  });

  test('deletes one object and no other, and succeeds if it is already gone', async () => {
    const [first, second] = [await put(someBytes(piece + 1, 'first')), await put(someBytes(9, 'second'))];
    await under().store.delete([first]);
    await under().store.delete([first, newId('obj')]);
    await expect(read(first, 0, 1)).rejects.toThrow();
    expect((await read(second, 0, 9)).equals(someBytes(9, 'second'))).toBe(true);
    await under().store.delete([second]);
    await under().store.delete([]);
  });
}
