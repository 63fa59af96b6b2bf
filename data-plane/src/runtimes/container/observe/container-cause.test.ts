import { expect, test } from 'vitest';
import { containerCause } from './container-cause.ts';

const finishedAt = new Date('2026-11-22T05:00:00Z');
const end = (exitCode: number, oomKilled = false) => ({ exitCode, oomKilled, error: '', finishedAt });
const later = (ms: number) => new Date(finishedAt.getTime() + ms);

test.each([
  ['its memory was used up', { end: end(137, true) }, 'oom_killed'],
  ['its memory was used up, and it was removed at once', { end: end(137, true), removedAt: later(50) }, 'oom_killed'],
  ['a child met the limit and the agent ended by itself', { end: end(1, true) }, 'sandbox_exited'],
  ['the agent ended', { end: end(3) }, 'sandbox_exited'],
  ['the agent was killed from inside', { end: end(137) }, 'sandbox_exited'],
  ['the agent ended by itself and was pruned at once', { end: end(0), removedAt: later(50) }, 'sandbox_exited'],
  ['the agent was killed from inside and pruned later', { end: end(137), removedAt: later(60_000) }, 'sandbox_exited'],
  ['somebody killed it', { end: end(137), killed: true }, 'deleted_by_operator'],
  ['somebody stopped it, which it took well', { end: end(0), killed: true }, 'deleted_by_operator'],
  ['somebody removed it by force', { end: end(137), removedAt: later(50) }, 'deleted_by_operator'],
  ['it is gone and nobody saw it end', { removedAt: later(50) }, 'deleted_by_operator'],
])('%s', (_, seen, reason) => {
  expect(containerCause({ end: null, killed: false, removedAt: null, ...seen }).reason).toBe(reason);
});

test('the message has exit code, signal and what the engine says', () => {
  const seen = { end: { ...end(143), error: 'no space' }, killed: false, removedAt: null };
  expect(containerCause(seen).message).toBe("the agent's container ended: exit code 143 (signal 15): no space");
});
