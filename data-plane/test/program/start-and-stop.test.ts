import type { StepEvent } from '@holdfast/specs/public';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Holdfast, nothingRunsIn } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast | undefined;

beforeEach(async () => {
  installation = await createInstallation();
});

afterEach(() => installation[Symbol.asyncDispose]());

async function start(env: Record<string, string> = {}): Promise<Holdfast> {
  holdfast = await installation.start(env);
  return holdfast;
}

describe('an orderly stop', () => {
  test('lets a running step finish, takes no new work, and ends every sandbox', async () => {
    const running = await start();
    const { id } = await running.createSession();
    const stream = running.streamStep(id, { code: 'import time; time.sleep(4); "to the end"' });
    await stream.next();
    const stopped = running.stop();
    await eventually(async () => expect((await running.request('GET', '/readyz')).status).toBe(503));
    const refused = await running.request('POST', `/v1/sessions/${id}/steps`, { code: '1' });
    expect([refused.status, refused.body.code]).toEqual([503, 'draining']);
    let last: StepEvent | undefined;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({
      step: { status: 'succeeded', results: [{ data: { 'text/plain': "'to the end'" } }] },
    });
    expect(await stopped).toBe(0);
    await nothingRunsIn(installation.dataDir);
    const [session] = await installation.database.db.sql`select status, end_reason from sessions where id = ${id}`;
    expect(session).toEqual({ status: 'aborted', end_reason: 'data_plane_stopped' });
  });

  test('interrupts a step that is still running when its time is over, and records it', async () => {
    const running = await start({ HOLDFAST_DRAIN_SECONDS: '0' });
    const { id } = await running.createSession();
    const stream = running.streamStep(id, { code: 'while True: pass' });
    const { stepId } = (await stream.next()).value as StepEvent;
    expect(await running.stop()).toBe(0);
    const [step] = await installation.database.db.sql`select status, cause from steps where id = ${stepId}`;
    expect(step).toEqual({ status: 'interrupted', cause: { code: 'session_ended' } });
  });
});

describe('after kill -9 of the data-plane', () => {
  test('a session goes on with its state, and its history is there', async () => {
    const first = await start();
    const { id } = await first.createSession();
    await first.runStep(id, { code: 'x = 41' });
    await first.kill();
    const second = await start();
    expect((await second.runStep(id, { code: 'x + 1' })).results[0]?.data['text/plain']).toBe('42');
    expect((await second.history(id)).map((step) => step.code)).toEqual(['x = 41', 'x + 1']);
  });

  test('ends a session whose maximum age passed meanwhile, and removes its sandbox', async () => {
    const first = await start();
    const { id } = await first.createSession({ timeoutSeconds: 2 });
    await first.kill();
    await eventually(async () => {
      const [session] = await installation.database.db
        .sql`select now() - created_at > interval '2 seconds' as over from sessions`;
      expect(session?.over).toBe(true);
    });
    const second = await start();
    await eventually(async () =>
      expect((await second.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ endReason: 'max_age' }),
    );
    await nothingRunsIn(`${installation.dataDir}/sandboxes/`);
  });

  test('an agent outlives its lease with a data-plane, and ends itself and its kernels without one', async () => {
    const first = await start({ HOLDFAST_AGENT_LEASE_SECONDS: '2' });
    const { id } = await first.createSession();
    await first.runStep(id, { language: 'node', code: '1' });
    await eventually(async () => {
      const [route] = await installation.database.db
        .sql`select last_seen_at - bound_at > interval '3 seconds' as outlived from session_routes`;
      expect(route?.outlived).toBe(true);
    });
    expect((await first.runStep(id, { code: '"kept alive"' })).status).toBe('succeeded');
    await first.kill();
    await nothingRunsIn(installation.dataDir);
  });

  test('the embedded Postgres comes back with everything', async () => {
    const embedded = { DATABASE_URL: '' };
    const first = await start(embedded);
    const { id } = await first.createSession();
    const step = await first.runStep(id, { code: '"kept"' });
    await first.kill();
    const second = await start(embedded);
    expect(await second.history(id)).toEqual([step]);
    expect((await second.runStep(id, { code: '1 + 1' })).number).toBe(2);
  });
});

test('metrics with a port of their own are served there alone', async () => {
  const running = await start({ HOLDFAST_METRICS_PORT: '0', HOLDFAST_LOG_LEVEL: 'info' });
  const { url } = await eventually(() => {
    const line = running.output.find((text) => text.includes('metrics are served'));
    return JSON.parse(line ?? 'not said yet');
  });
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('holdfast_steps_total');
  expect((await fetch(`${running.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${url}/v1/sessions`)).status).toBe(404);
});

describe('without agent authentication', () => {
  test('development runs steps without key material, and reports the bypass everywhere', async () => {
    const running = await start({ HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' });
    const { id } = await running.createSession();
    expect((await running.runStep(id, { code: '40 + 2' })).results[0]?.data['text/plain']).toBe('42');
    const ready = await running.request('GET', '/readyz');
    expect(ready.body.agentAuthBypassed).toBe(true);
    expect(ready.headers.get('holdfast-insecure')).toBe('agent-auth-bypassed');
    expect(await (await fetch(`${running.url}/metrics`)).text()).toContain('holdfast_agent_auth_bypassed 1');
    await eventually(() => expect(running.output.join('\n')).toContain('agent authentication is bypassed'));
    const [route] = await installation.database.db.sql`select endpoint from session_routes where session_id = ${id}`;
    expect((await fetch(`${route?.endpoint}/v1/steps`)).status).toBe(200);
  });

  test('production does not start', async () => {
    const refused = start({ HOLDFAST_ENV: 'production', HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' });
    await expect(refused).rejects.toThrow(/exited with 78[\s\S]*HOLDFAST_INSECURE_SKIP_AGENT_AUTH/);
  });
});

test('without an API key it starts only on loopback', async () => {
  await expect(start({ HOLDFAST_HOST: '0.0.0.0' })).rejects.toThrow(/exited with 78[\s\S]*HOLDFAST_BOOTSTRAP_API_KEY/);
});
