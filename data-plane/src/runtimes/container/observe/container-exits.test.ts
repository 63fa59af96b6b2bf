import { expect, test } from 'vitest';
import { ownLabels } from '../engine/labels.ts';
import { createContainerExits } from './container-exits.ts';

const labels = (uid: string) => ({ [ownLabels.sandbox]: `name-${uid}`, [ownLabels.uid]: uid });
const event = (action: string, uid = 'a') => ({ action, id: '1', labels: labels(uid), at: new Date(1000) });
const listed = (uid: string, status = 'running') => ({
  id: uid,
  name: uid,
  labels: labels(uid),
  status,
  address: null,
  createdAt: new Date(0),
  end: null,
});

function watched(now = () => 0) {
  const exits = createContainerExits({ now });
  const told: string[] = [];
  exits.onEnded(({ name, uid }) => told.push(`${name} ${uid}`));
  return { exits, told };
}

test('reports an end after its event, and after a list that lacks the container or shows it as ended', () => {
  const { exits, told } = watched();
  exits.apply(event('die', 'a'));
  exits.replaceAll([listed('b'), listed('c')]);
  exits.replaceAll([listed('b', 'exited')]);
  expect(told.sort()).toEqual(['name-a a', 'name-b b', 'name-c c']);
});

test('reports nothing after a list that has not changed', () => {
  const { exits, told } = watched();
  for (let i = 0; i < 3; i++) exits.replaceAll([listed('a'), listed('b', 'exited')]);
  expect(told).toEqual(['name-b b']);
});

test('does not report an end that we cause, and does not count it as a kill from outside', () => {
  const { exits, told } = watched();
  exits.expectEnd('a');
  for (const action of ['kill', 'die', 'destroy']) exits.apply(event(action));
  expect(told).toEqual([]);
  expect(exits.find('a')).toMatchObject({ killed: false });
});

test('remembers a kill, a removal and an exit for ten minutes', () => {
  let now = 0;
  const { exits } = watched(() => now);
  for (const action of ['kill', 'die', 'remove']) exits.apply(event(action));
  const end = { exitCode: 137, oomKilled: false, error: '', finishedAt: new Date(900) };
  exits.record('a', end);
  expect(exits.find('a')).toMatchObject({ end, killed: true, removedAt: new Date(1000) });
  now = 10 * 60_000 + 1;
  exits.replaceAll([]);
  expect(exits.find('a')).toEqual({ end: null, killed: false, removedAt: null });
});
