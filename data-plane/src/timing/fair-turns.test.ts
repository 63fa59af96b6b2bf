import { expect, test } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

const forever = 2 ** 30;

/** Asks for turns and notes the order in which they come. */
function asking(turns: ReturnType<typeof createFairTurns>) {
  const came: string[] = [];
  const ask = (key: string, name: string) => {
    const over = new AbortController();
    const entered = turns.enter(key, over.signal).then(
      (isIn) => void came.push(isIn ? name : `${name} was late`),
      () => void came.push(`${name} left`),
    );
    return { end: () => over.abort(), entered };
  };
  return { came, ask };
}

test('a key has its turns one after the other, and another key need not wait for it', async () => {
  const turns = createFairTurns({ atOnceMax: 2, perKeyMax: 1, waitMsMax: forever });
  const { came, ask } = asking(turns);
  const [a1, a2, b1] = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1')];
  await Promise.all([a1.entered, b1.entered]);
  expect(came).toEqual(['a1', 'b1']);
  b1.end();
  expect(turns.waiting()).toBe(1);
  a1.end();
  await a2.entered;
  expect(came).toEqual(['a1', 'b1', 'a2']);
  a2.end();
});

test('a key with many in the queue gets one turn, then the next key', async () => {
  const turns = createFairTurns({ atOnceMax: 1, perKeyMax: 1, waitMsMax: forever });
  const { came, ask } = asking(turns);
  const first = ask('a', 'a1');
  await first.entered;
  const queued = [ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('b', 'b2')];
  first.end();
  for (const expected of ['a2', 'b1', 'a3', 'b2']) {
    await expect.poll(() => came.at(-1)).toBe(expected);
    queued[['a2', 'a3', 'b1', 'b2'].indexOf(expected)]?.end();
  }
});

test('one that leaves while it waits gives up its place', async () => {
  const turns = createFairTurns({ atOnceMax: 1, perKeyMax: 1, waitMsMax: forever });
  const { came, ask } = asking(turns);
  const [first, leaving, last] = [ask('a', 'first'), ask('a', 'leaving'), ask('a', 'last')];
  leaving.end();
  await leaving.entered;
  first.end();
  await last.entered;
  expect(came).toEqual(['first', 'leaving left', 'last']);
  expect(turns.waiting()).toBe(0);
  last.end();
});

test('one that waits for too long gets no turn', async () => {
  const turns = createFairTurns({ atOnceMax: 1, perKeyMax: 1, waitMsMax: 1 });
  const { came, ask } = asking(turns);
  const first = ask('a', 'first');
  await first.entered;
  await ask('a', 'second').entered;
  expect(came).toEqual(['first', 'second was late']);
  expect(turns.waiting()).toBe(0);
  first.end();
});

test('one signal has one turn, however often it asks', async () => {
  const turns = createFairTurns({ atOnceMax: 1, perKeyMax: 1, waitMsMax: forever });
  const over = new AbortController();
  expect(await turns.enter('a', over.signal)).toBe(true);
  expect(await turns.enter('a', over.signal)).toBe(true);
  over.abort();
  const next = new AbortController();
  expect(await turns.enter('a', next.signal)).toBe(true);
  next.abort();
});
