import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

/** A clock on which each work takes as long as it says. */
function pacing() {
  let nowMs = 0;
  const done: string[] = [];
  const pace = createPace({ turnMs: 10, now: () => nowMs });
  const run = (peer: string, ms: number) =>
    pace.run(peer, () => {
      nowMs += ms;
      done.push(peer);
      return undefined;
    });
  return { run, done };
}

test('does work at once while the turn has time left', () => {
  const { run, done } = pacing();
  expect(run('a', 4)).toBeUndefined();
  expect(run('b', 4)).toBeUndefined();
  expect(done).toEqual(['a', 'b']);
});

test('does the rest in later turns, and lets other things happen between them', async () => {
  const { run, done } = pacing();
  run('a', 10);
  const later = [run('a', 10), run('a', 10)];
  expect(done).toEqual(['a']);
  setImmediate(() => done.push('something else'));
  await Promise.all(later);
  expect(done).toEqual(['a', 'a', 'something else', 'a']);
});

test('peers take turns, however much one of them has to do', async () => {
  const { run, done } = pacing();
  run('greedy', 10);
  const greedy = Array.from({ length: 5 }, () => run('greedy', 4));
  await run('other', 4);
  expect(done.slice(0, 3)).toEqual(['greedy', 'greedy', 'other']);
  await Promise.all(greedy);
});

test('work that is very short takes time, too', () => {
  const { run } = pacing();
  const answers = Array.from({ length: 10_000 }, () => run('a', 0));
  expect(answers.some((answer) => answer instanceof Promise)).toBe(true);
});

test('rejects with the error of work that was done later', async () => {
  let nowMs = 0;
  const pace = createPace({ turnMs: 10, now: () => nowMs });
  pace.run('a', () => {
    nowMs += 10;
    return undefined;
  });
  const failing = pace.run('a', () => {
    throw new Error('as told');
  });
  await expect(failing).rejects.toThrow('as told');
});
