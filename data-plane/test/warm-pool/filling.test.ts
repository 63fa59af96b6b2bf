import { expect, test } from 'vitest';
import { SandboxError } from '../../src/runtimes/runtime.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { asked, maintain, metric, poolOf, warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('three replicas at once never start more sandboxes than the pool size', async () => {
  const all = await Promise.all([1, 2, 3].map(() => given.replica([poolOf(20)])));
  let most = 0;
  given.cluster.beforeLaunch = async () => {
    most = Math.max(most, (await given.rows()).length);
  };
  await Promise.all(all.map(maintain));
  await Promise.all(all.map(maintain));
  await given.filled(all[0] as TestReplica, 20);
  expect(most).toBeLessThanOrEqual(20);
  expect(given.cluster.launched).toHaveLength(20);
});

test('the metrics show the number of sandboxes of each pool, also if it is zero', async () => {
  const one = await given.replica([poolOf(2), { ...poolOf(1), network: 'none' }]);
  given.cluster.beforeLaunch = async ({ network }) => {
    if (network === 'none') throw new SandboxError('image_pull_failed', 'no such image');
  };
  await given.filled(one, 2);
  await maintain(one);
  const ready = (network: string) => `holdfast_warm_sandboxes{profile="default",network="${network}",state="ready"}`;
  expect(await metric(one, ready('internet'))).toMatch(/ 2$/);
  expect(await metric(one, ready('none'))).toMatch(/ 0$/);
});

test('replaces a claimed sandbox at once, without waiting for the next pass', async () => {
  const one = await given.replica([poolOf(2)]);
  await given.filled(one, 2);
  await one.createSession(asked);
  await eventually(async () => expect(await given.readyNames()).toHaveLength(2));
});

test('while launches fail, tries one at a time with growing pauses, and logs that once', async () => {
  const triedAtMs: number[] = [];
  const fail = new SandboxError('image_pull_failed', 'no such image');
  given.cluster.beforeLaunch = async () => {
    triedAtMs.push(performance.now());
    throw fail;
  };
  const one = await given.replica([poolOf(20)]);
  await eventually(async () => {
    await maintain(one);
    expect(triedAtMs.length).toBeGreaterThanOrEqual(10);
  });
  const [eighth = 0, ninth = 0, tenth = 0] = triedAtMs.slice(7);
  expect(ninth - eighth).toBeGreaterThan(490);
  expect(tenth - ninth).toBeGreaterThan(990);
  expect(one.lines.filter((line) => line.includes('a warm sandbox did not start'))).toHaveLength(1);

  given.cluster.beforeLaunch = async () => {};
  await eventually(async () => {
    await maintain(one);
    expect(await given.readyNames()).toHaveLength(20);
  });
  expect(one.lines.filter((line) => line.includes('warm sandboxes start again'))).toHaveLength(1);
});

test('a stop abandons sandboxes that are starting and leaves those that are ready', async () => {
  const one = await given.replica([poolOf(3)]);
  let launches = 0;
  given.cluster.beforeLaunch = async (_spec, signal) => {
    launches += 1;
    if (launches > 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const [kept] = await given.filled(one, 1);
  await eventually(() => expect(launches).toBe(3));
  await given.stopLast();
  expect((await given.rows()).map(({ name }) => name)).toEqual([kept]);
  expect(given.livingNames()).toEqual([kept]);
});

test('another replica removes a sandbox that a dead replica was starting', async () => {
  const dead = await given.replica([poolOf(1)], { HOLDFAST_SESSION_START_SECONDS: '60' });
  const [name = ''] = await given.filled(dead, 1);
  await given.db.sql`update warm_sandboxes set ready_at = null, uid = null, created_at = now() - interval '71 seconds'`;
  const other = await given.replica([poolOf(1)], { HOLDFAST_SESSION_START_SECONDS: '60' });
  const [next] = await given.filled(other, 1);
  expect(next).not.toBe(name);
  await eventually(() => expect(given.livingNames()).toEqual([next]));
});
