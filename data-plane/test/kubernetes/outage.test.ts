import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { startOnKubernetes } from '../support/start-on-kubernetes.ts';

const outageMs = Number(process.env.HOLDFAST_TEST_OUTAGE_SECONDS ?? 20) * 1000;
/** Steps and creations that are tried while the server is down, even if that takes longer than `outageMs`. */
const attemptsMin = 4;
const convergedWithinMs = 60_000;

let fake: FakeKubernetes;
let holdfast: Awaited<ReturnType<typeof startOnKubernetes>>;

beforeAll(async () => {
  fake = await startFakeKubernetes();
  // A session that could not be created counts until it is certain that no sandbox of it is left.
  holdfast = await startOnKubernetes(fake, { HOLDFAST_SESSIONS_MAX: '10000' });
});
afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]();
  await fake?.close();
});

test(
  'while the API server is down, running sessions go on and creations are answered with Retry-After; afterwards everything converges',
  async () => {
    const [steady, long, deleted, crashed] = await Promise.all([
      newSession(),
      newSession(),
      newSession(),
      newSession(),
    ]);
    for (const { id } of [steady, deleted, crashed]) await holdfast.runStep(id, { code: 'n = 0' });
    const code = `import time\nfor n in range(${outageMs / 500}):\n    time.sleep(0.5)\nn`;
    const running = holdfast.runStep(long.id, { code });
    fake.scheduling.close();
    const cutOff = holdfast.request('POST', '/v1/sessions', {});
    await eventually(() => expect(fake.pods.all()).toHaveLength(5));

    await fake.server.down();
    fake.scheduling.open();
    const backAt = Date.now() + outageMs;
    fake.operator.crash(podOf(crashed));
    const deletion = holdfast.request('DELETE', `/v1/sessions/${deleted.id}`);
    let steps = 0;
    let creations = 0;
    do {
      steps += 1;
      const step = await holdfast.runStep(steady.id, { code: 'n += 1\nn' });
      expect(step).toMatchObject({ status: 'succeeded', results: [{ data: { 'text/plain': String(steps) } }] });
      const refused = await holdfast.request('POST', '/v1/sessions', {});
      expect(refused).toMatchObject({ status: 503, body: { code: 'sandbox-unreachable' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      creations += 1;
      const unreachable = await holdfast.request('POST', `/v1/sessions/${crashed.id}/steps`, { code: 'n' });
      expect(unreachable).toMatchObject({ status: 503, body: { code: 'sandbox-unreachable' } });
    } while (Date.now() < backAt || creations < attemptsMin);
    expect(await cutOff).toMatchObject({ status: 503 });
    expect((await deletion).status).toBe(202);
    await fake.server.up();

    expect(await running).toMatchObject({ status: 'succeeded', executionCount: 1 });
    await eventually(newSession, convergedWithinMs);
    await eventually(async () => {
      const { body } = await holdfast.request('GET', `/v1/sessions/${crashed.id}`);
      expect(body).toMatchObject({ status: 'failed', endReason: 'sandbox_exited' });
      expect((await holdfast.request('GET', `/v1/sessions/${deleted.id}`)).status).toBe(410);
      const { body: active } = await holdfast.request('GET', '/v1/sessions?status=active&limit=200');
      const pods = fake.pods.all().map(({ metadata }) => metadata.name);
      expect(pods).toEqual(active.items.map(podOf).sort());
    }, convergedWithinMs);
    expect(await holdfast.runStep(steady.id, { code: 'n' })).toMatchObject({
      results: [{ data: { 'text/plain': String(steps) } }],
    });
  },
  outageMs + 2 * convergedWithinMs + 30_000,
);

const newSession = () => holdfast.createSession();
const podOf = ({ id }: Pick<Session, 'id'>) => sandboxName(id, 1);
