import { beforeEach, expect, test } from 'vitest';
import { createSilences, type Silences } from './silences.ts';

let awakeSinceMs: number;
let silences: Silences;
beforeEach(() => {
  awakeSinceMs = 0;
  silences = createSilences({ lastsMs: 1000, gapMsMax: 500, awakeSinceMs: () => awakeSinceMs });
});

const fail = (...timesMs: number[]) => {
  for (const timeMs of timesMs) silences.failed('uid', timeMs);
};

test('a silence lasts when its time is over and several probes have failed', () => {
  fail(100, 500, 900);
  expect(silences.hasLasted('uid', 1099)).toBe(false);
  expect(silences.hasLasted('uid', 1100)).toBe(true);
});

test('two probes are not enough, however far apart they are', () => {
  fail(100, 600);
  expect(silences.hasLasted('uid', 5000)).toBe(false);
});

test('an answer ends the silence', () => {
  fail(100, 500, 900);
  silences.answered('uid');
  fail(1100);
  expect(silences.hasLasted('uid', 1200)).toBe(false);
});

test('a silence begins anew after a time without probes', () => {
  fail(100, 500, 1100, 1200);
  expect(silences.hasLasted('uid', 1300)).toBe(false);
  fail(1600, 2000);
  expect(silences.hasLasted('uid', 2100)).toBe(true);
});

test('a replica that was stopped has heard nothing, so the silence begins anew when it wakes', () => {
  fail(100, 500, 900);
  awakeSinceMs = 1500;
  expect(silences.hasLasted('uid', 1600)).toBe(false);
  fail(1400, 1600, 2000, 2400);
  expect(silences.hasLasted('uid', 2599)).toBe(false);
  expect(silences.hasLasted('uid', 2600)).toBe(true);
});

test('a sandbox that is not probed any more is forgotten', () => {
  fail(100, 500, 900);
  silences.keep(new Set());
  expect(silences.uids).toEqual([]);
});
