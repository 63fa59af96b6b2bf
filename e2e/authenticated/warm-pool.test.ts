import { afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { amounts } from '../amounts.ts';
import type { Holdfast, ReplicaClient } from '../cluster/connect-holdfast.ts';
import { deleteSessions, installHoldfast } from '../cluster/install-holdfast.ts';
import { metric } from '../cluster/metric.ts';
import { livingPods, sandboxPods } from '../cluster/pods.ts';
import { hostnameIn } from '../cluster/sandbox-of.ts';

/** Leaves room for some cold sandboxes. A usual node allows at most 105. */
const podsMax = Math.min(Math.round(amounts.warm * 2.5), 105);

let holdfast: Holdfast;
let replicas: ReplicaClient[];
beforeAll(async () => {
  holdfast = await installHoldfast({ warm: amounts.warm, podsMax });
  replicas = await holdfast.replicas();
  return () => holdfast.close();
});

// The pods of sessions that a failed test leaves would take the room of the next one.
afterEach(() => deleteSessions(holdfast));

const poolIsFull = () =>
  eventually(async () => {
    const pods = await sandboxPods();
    expect(
      pods.filter(({ metadata, status }) => status.phase === 'Running' && !metadata.deletionTimestamp),
    ).toHaveLength(amounts.warm);
    for (const replica of replicas)
      expect(await metric([replica], 'holdfast_warm_sandboxes', { state: 'ready' })).toBe(amounts.warm);
  }, 180_000);

test(`${amounts.warm * 2} sessions that are created at once share none of ${amounts.warm} warm sandboxes, and the rest start cold or are told when to try again`, {
  timeout: 600_000,
}, async () => {
  await poolIsFull();
  const warm = new Set((await sandboxPods()).map(({ metadata }) => metadata.name));
  const creations = Promise.all(
    Array.from({ length: amounts.warm * 2 }, (_, i) =>
      (replicas[i % replicas.length] as ReplicaClient).request('POST', '/v1/sessions', {}),
    ),
  );
  const counts = await countsDuring(creations);
  const answers = await creations;
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(
    refused.filter(({ status, headers }) => status !== 503 || !/^\d+$/.test(headers.get('retry-after') ?? '')),
  ).toEqual([]);

  const names = await Promise.all(made.map((id) => hostnameIn(holdfast, id)));
  expect(new Set(names).size).toBe(made.length);
  expect(names.filter((name) => warm.has(name))).toHaveLength(amounts.warm);
  expect(Math.max(...counts)).toBeLessThanOrEqual(podsMax);
  expect(Math.max(...counts)).toBeGreaterThan(amounts.warm);
  console.log(
    `${made.length} of ${answers.length} were created, ${amounts.warm} of them from the pool; ${refused.length} were told to try again`,
  );

  await deleteSessions(holdfast);
  await poolIsFull();
});

test('empties a pool that the profile no longer asks for', { timeout: 180_000 }, async () => {
  await poolIsFull();
  await holdfast.close();
  holdfast = await installHoldfast({ podsMax });
  await eventually(async () => expect(await livingPods()).toEqual([]), 120_000);
});

/** The number of living pods, again and again while the work goes on and once after it. */
async function countsDuring(work: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const counts: number[] = [];
  for (let wasOver = false; !wasOver; ) {
    wasOver = isOver;
    counts.push((await livingPods()).length);
  }
  return counts;
}
