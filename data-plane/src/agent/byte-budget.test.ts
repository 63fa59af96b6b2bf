import { expect, test } from 'vitest';
import type { AgentError } from './agent-error.ts';
import { createByteBudget } from './byte-budget.ts';

function budget(replicaBytesMax: number) {
  const evicted: string[] = [];
  const bytes = createByteBudget({ replicaBytesMax });
  const open = (session: string, name = session) =>
    bytes.open(session, (error: AgentError) => evicted.push(`${name} ${error.kind}`));
  return { bytes, evicted, open };
}

test('evicts all shares of a session that has more than three quarters of the memory', () => {
  const { evicted, open } = budget(100);
  const [one, other] = [open('a', 'one'), open('a', 'other')];
  open('b').set(10);
  one.set(50);
  expect(evicted).toEqual([]);
  other.set(26);
  expect(evicted).toEqual(['one excessive', 'other excessive']);
});

test('evicts the greediest session, not the one that asked last', () => {
  const { evicted, open } = budget(100);
  open('greedy').set(60);
  open('modest').set(30);
  open('last').set(20);
  expect(evicted).toEqual(['greedy excessive']);
});

test('a session that was evicted does not cost others their place, and each of its shares is told once', () => {
  const { evicted, open } = budget(100);
  const greedy = open('greedy');
  const modest = open('modest');
  greedy.set(70);
  modest.set(31);
  greedy.set(72);
  greedy.set(20);
  modest.set(60);
  expect(evicted).toEqual(['greedy excessive']);
  const late = open('greedy', 'late');
  late.set(1);
  expect(evicted).toEqual(['greedy excessive', 'late excessive']);
});

test('bytes that are durable do not count', () => {
  const { bytes, evicted, open } = budget(100);
  for (let step = 0; step < 10; step++) {
    const share = open('a');
    share.set(70);
    share.close();
    share.set(70);
  }
  expect(evicted).toEqual([]);
  expect(bytes.room).toBe(100);
  expect(bytes.countOf('a')).toBe(0);
});

test('copies have the room that nothing else needs, and the largest goes first', () => {
  const { bytes, evicted, open } = budget(100);
  const copy = (name: string, size: number) => {
    const share = bytes.openCopy(() => evicted.push(name));
    share.set(size);
    return share;
  };
  const own = open('a');
  own.set(40);
  copy('small', 20);
  copy('large', 30);
  const closed = copy('closed', 10);
  expect(evicted).toEqual([]);
  closed.close();
  own.set(51);
  expect(evicted).toEqual(['large']);
  own.set(75);
  expect(evicted).toEqual(['large']);
  copy('too much', 10);
  expect(evicted).toEqual(['large', 'small']);
  expect(bytes.fits('b', 25)).toBe(true);
});

test('says whether a session can have more', () => {
  const { bytes, open } = budget(100);
  open('a').set(50);
  expect([bytes.fits('a', 25), bytes.fits('a', 26), bytes.fits('b', 50), bytes.fits('b', 51)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
