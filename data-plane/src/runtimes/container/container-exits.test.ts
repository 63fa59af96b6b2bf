import { expect, test } from 'vitest';
import { createEnds } from './container-exits.ts';
import { ownLabels } from './labels.ts';

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
  const ends = createEnds({ now });
  const told: string[] = [];
  ends.onEnded(({ name, uid }) => told.push(`${name} ${uid}`));
  return { ends, told };
}

test('an end is told by its event, and by a list that lacks the container or shows it as ended', () => {
  const { ends, told } = watched();
  ends.apply(event('die', 'a'));
  ends.replaceAll([listed('b'), listed('c')]);
  ends.replaceAll([listed('b', 'exited')]);
  expect(told.sort()).toEqual(['name-a a', 'name-b b', 'name-c c']);
});

test('a list that shows what it showed before tells nothing', () => {
  const { ends, told } = watched();
  for (let i = 0; i < 3; i++) ends.replaceAll([listed('a'), listed('b', 'exited')]);
  expect(told).toEqual(['name-b b']);
});

test('an end that is wanted is told to nobody, and is no kill by somebody else', () => {
  const { ends, told } = watched();
  ends.expectEnd('a');
  for (const action of ['kill', 'die', 'destroy']) ends.apply(event(action));
  expect(told).toEqual([]);
  expect(ends.find('a')).toMatchObject({ killed: false });
});

test('a kill, a removal and how it ended are remembered for ten minutes', () => {
  let now = 0;
  const { ends } = watched(() => now);
  for (const action of ['kill', 'die', 'remove']) ends.apply(event(action));
  const end = { exitCode: 137, oomKilled: false, error: '', finishedAt: new Date(900) };
  ends.keep('a', end);
  expect(ends.find('a')).toMatchObject({ end, killed: true, removedAt: new Date(1000) });
  now = 10 * 60_000 + 1;
  ends.replaceAll([]);
  expect(ends.find('a')).toEqual({ end: null, killed: false, removedAt: null });
});
