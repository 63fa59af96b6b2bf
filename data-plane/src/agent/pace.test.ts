import { expect, test, vi } from 'vitest';
import { createPace } from './pace.ts';

/** A clock on which each piece of work takes as long as it says, and the time between turns of the event loop passes by itself. */
function pacing(options = {}) {
  const clock = { ms: 0 };
  const done: string[] = [];
  const pace = createPace({ turnMs: 10, greedyTurnMs: 5, share: 0.25, burstMs: 20, now: () => clock.ms, ...options });
  const spend = (peer: string, ms: number) => {
    clock.ms += ms;
    done.push(peer);
    pace.spend(peer, ms);
  };
  const later = (peer: string, ms: number) =>
    new Promise<void>((resolve) =>
      pace.later(peer, () => {
        spend(peer, ms);
        resolve();
      }),
    );
  return { pace, clock, done, spend, later };
}

test('serves a peer at once while the turn has time left', () => {
  const { pace, spend } = pacing();
  spend('a', 4);
  expect(pace.may('b')).toBe(true);
  spend('b', 6);
  expect(pace.may('b')).toBe(false);
});

test('does the rest in later turns, and lets other things happen between them', async () => {
  const { done, later } = pacing({ burstMs: 1000 });
  const works = [later('a', 10), later('a', 10)];
  setImmediate(() => done.push('something else'));
  await Promise.all(works);
  expect(done).toEqual(['a', 'something else', 'a']);
});

test('a greedy peer is not served at once, and any other is', async () => {
  const { pace, spend, later } = pacing();
  spend('greedy', 30);
  await later('modest', 0);
  expect([pace.may('greedy'), pace.may('modest')]).toEqual([false, true]);
});

test('a modest peer comes before the greedy ones, which take turns', async () => {
  const { done, spend, later } = pacing({ greedyTurnMs: 100, turnMs: 100 });
  for (const peer of ['one', 'other']) spend(peer, 30);
  done.length = 0;
  const works = [later('one', 1), later('one', 1), later('other', 1), later('modest', 1)];
  await Promise.all(works);
  expect(done).toEqual(['modest', 'one', 'other', 'one']);
});

test('work that asks for another turn at once does not keep the turn from ending', async () => {
  const { pace, spend } = pacing();
  spend('greedy', 30);
  let tries = 0;
  await new Promise<void>((resolve) => {
    const work = () => {
      tries += 1;
      pace.later('greedy', work);
    };
    work();
    pace.later('modest', resolve);
  });
  expect(tries).toBeLessThan(10);
});

test('greedy peers together take no more than their share of the time', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'Date'] });
  try {
    let workedMs = 0;
    const pace = createPace({ share: 0.25, burstMs: 50, now: () => Date.now() + workedMs });
    const flood = (peer: string) => {
      workedMs += 1;
      pace.spend(peer, 1);
      pace.later(peer, () => flood(peer));
    };
    for (let peer = 0; peer < 20; peer++) flood(`peer ${peer}`);
    vi.advanceTimersByTime(10_000);
    const before = workedMs;
    vi.advanceTimersByTime(10_000);
    const workedLaterMs = workedMs - before;
    expect(workedLaterMs / (10_000 + workedLaterMs)).toBeLessThan(0.3);
    expect(workedLaterMs / (10_000 + workedLaterMs)).toBeGreaterThan(0.1);
  } finally {
    vi.useRealTimers();
  }
});

test('a peer that stops to flood is soon served at once', async () => {
  const { pace, clock, spend, later } = pacing();
  spend('a', 1000);
  expect(pace.may('a')).toBe(false);
  clock.ms += 200;
  await later('b', 0);
  expect(pace.may('a')).toBe(true);
});
