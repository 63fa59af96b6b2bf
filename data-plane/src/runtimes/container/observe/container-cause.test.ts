import { expect, test } from 'vitest';
import { containerCause } from './container-cause.ts';

const finishedAt = new Date('2026-11-22T05:00:00Z');
const end = (exitCode: number, oomKilled = false) => ({ exitCode, oomKilled, error: '', finishedAt });
const later = (ms: number) => new Date(finishedAt.getTime() + ms);

test.each([
  ['a container that used up its memory', { end: end(137, true) }, 'oom_killed'],
  [
    'a container that used up its memory and was removed at once',
    { end: end(137, true), removedAt: later(50) },
    'oom_killed',
  ],
  ['an agent that ended by itself after a child reached the memory limit', { end: end(1, true) }, 'sandbox_exited'],
  ['an agent that ended', { end: end(3) }, 'sandbox_exited'],
  ['an agent that was killed from inside', { end: end(137) }, 'sandbox_exited'],
  ['an agent that ended by itself and was pruned at once', { end: end(0), removedAt: later(50) }, 'sandbox_exited'],
  [
    'an agent that was killed from inside and pruned later',
    { end: end(137), removedAt: later(60_000) },
    'sandbox_exited',
  ],
  ['a container that an operator killed', { end: end(137), killed: true }, 'deleted_by_operator'],
  ['a container that an operator stopped and that exited with 0', { end: end(0), killed: true }, 'deleted_by_operator'],
  ['a container that an operator removed by force', { end: end(137), removedAt: later(50) }, 'deleted_by_operator'],
  ['a container that is gone and whose end was not observed', { removedAt: later(50) }, 'deleted_by_operator'],
])('%s is explained', (_, seen, reason) => {
  expect(containerCause({ end: null, killed: false, removedAt: null, ...seen }).reason).toBe(reason);
});

test("the message contains the exit code, the signal and the engine's own words", () => {
  const seen = { end: { ...end(143), error: 'no space' }, killed: false, removedAt: null };
  expect(containerCause(seen).message).toBe("the agent's container ended: exit code 143 (signal 15): no space");
});
