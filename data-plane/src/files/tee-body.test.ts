import { expect, test } from 'vitest';
import { teeBody } from './tee-body.ts';

const bytes = (...pieces: string[]) => pieces.map((piece) => Buffer.from(piece));

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text;
}

/** A source that counts the pieces it was asked for, and notes whether it was closed. */
function counted(length: number) {
  const seen = { asked: 0, closed: false };
  async function* pieces() {
    try {
      for (; seen.asked < length; ) {
        seen.asked += 1;
        yield Buffer.from('x');
      }
    } finally {
      seen.closed = true;
    }
  }
  return { seen, pieces: pieces() };
}

test('gives both readers all pieces', async () => {
  const { first, second } = teeBody(bytes('a', 'b', 'c'));
  expect(await Promise.all([textOf(first), textOf(second)])).toEqual(['abc', 'abc']);
});

test('requests no piece before both readers want it', async () => {
  const { seen, pieces } = counted(10);
  const { first, second } = teeBody(pieces);
  const eager = textOf(first);
  await second.next();
  await second.next();
  expect(seen.asked).toBe(2);
  await second.return(undefined);
  await expect(eager).rejects.toThrow('the other reader has stopped');
  expect(seen).toEqual({ asked: 2, closed: true });
});

test('gives both readers the error of the source', async () => {
  async function* cut() {
    yield Buffer.from('a');
    throw new Error('cut off');
  }
  const { first, second } = teeBody(cut());
  const outcomes = await Promise.allSettled([textOf(first), textOf(second)]);
  expect(outcomes).toMatchObject([{ reason: { message: 'cut off' } }, { reason: { message: 'cut off' } }]);
});

test('gives both readers the error passed to fail, even while they wait for the source', async () => {
  const never = new Promise<never>(() => {});
  async function* silent() {
    await never;
    yield Buffer.from('');
  }
  const { first, second, fail } = teeBody(silent());
  const both = Promise.allSettled([first.next(), second.next()]);
  fail(new Error('refused'));
  expect(await both).toMatchObject([{ reason: { message: 'refused' } }, { reason: { message: 'refused' } }]);
});
