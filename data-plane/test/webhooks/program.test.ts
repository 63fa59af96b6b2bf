import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { secret, startReceiver } from './start-receiver.ts';

let installation: Installation;
let holdfast: Holdfast;
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(() => installation[Symbol.asyncDispose]());

const deliveries = async (id: string) =>
  (await holdfast.request('GET', `/v1/sessions/${id}/webhooks/deliveries`)).body.items;

test('a webhook is told of the end of steps, jobs, processes and the session, signed, without code and output', async () => {
  await using receiver = await startReceiver();
  const { id, webhooks } = await holdfast.createSession({ webhooks: [{ url: receiver.url, secret }] });
  expect(webhooks).toEqual([{ id: expect.stringMatching(/^whk_/), url: receiver.url, events: expect.any(Array) }]);
  const step = await holdfast.runStep(id, { code: 'print("hidden")' });
  const job = await holdfast.request('POST', `/v1/sessions/${id}/jobs`, { language: 'bash', code: 'exit 3' });
  const process = await holdfast.request('POST', `/v1/sessions/${id}/processes`, {
    command: 'echo hidden; exit 4',
    waitSeconds: 30,
  });
  await holdfast.request('POST', `/v1/sessions/${id}/complete`);
  await eventually(() => expect(receiver.attempts).toHaveLength(4));
  const bodies = new Map(receiver.attempts.map(({ body }) => [body.type, body.data]));
  expect(bodies.get('step.ended')).toMatchObject({
    ...{ sessionId: id, id: step.id, status: 'succeeded', outcome: { tag: 'ok' }, number: 1, usage: step.usage },
  });
  expect(bodies.get('job.ended')).toMatchObject({ id: job.body.id, status: 'failed', exitCode: 3 });
  const { usage } = process.body;
  expect(bodies.get('process.ended')).toMatchObject({ id: process.body.id, status: 'exited', exitCode: 4, usage });
  expect(bodies.get('session.ended')).toMatchObject({ id, status: 'completed', endReason: 'completed_by_host' });
  expect(JSON.stringify(receiver.attempts)).not.toContain('hidden');
  expect(receiver.faults).toEqual([]);
  await eventually(async () => {
    expect(await deliveries(id)).toMatchObject(
      Array(4).fill({ status: 'delivered', attempts: 1, responseStatus: 204, nextAttemptAt: null }),
    );
  });
});

test('a webhook gets only the events that it wants, and those of what starts after it was added', async () => {
  await using receiver = await startReceiver();
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: '1' });
  const webhooks = [{ url: receiver.url, secret, events: ['step.ended'] }];
  expect(await holdfast.request('PATCH', `/v1/sessions/${id}`, { webhooks })).toMatchObject({ status: 200 });
  const later = await holdfast.runStep(id, { code: '2' });
  await holdfast.request('POST', `/v1/sessions/${id}/jobs`, { language: 'bash', code: 'true' });
  await eventually(() => expect(receiver.attempts).toMatchObject([{ body: { data: { id: later.id } } }]));
  await holdfast.request('PATCH', `/v1/sessions/${id}`, { webhooks: [] });
  await holdfast.runStep(id, { code: '3' });
  await holdfast.request('POST', `/v1/sessions/${id}/complete`);
  expect(await deliveries(id)).toMatchObject([{ subjectId: later.id }]);
});

test('an end is delivered although its session was deleted', async () => {
  let mayAnswer = false;
  await using receiver = await startReceiver((_, response) => response.writeHead(mayAnswer ? 200 : 503).end());
  const { id } = await holdfast.createSession({ webhooks: [{ url: receiver.url, secret }] });
  await holdfast.deleteSession(id);
  mayAnswer = true;
  await eventually(async () => {
    const [row] = await installation.database.db.sql`
      select status, attempts from webhook_deliveries where session_id = ${id}`;
    expect(row).toMatchObject({ status: 'delivered' });
  });
  expect(receiver.attempts.at(-1)).toMatchObject({ body: { type: 'session.ended', data: { id } } });
});

test('an attempt that fails is made again under the same id; no redirect is followed, and the listing says why', async () => {
  await using receiver = await startReceiver(({ path }, response, before) => {
    if (path === '/elsewhere') response.writeHead(200).end();
    else if (before === 0) response.writeHead(302, { Location: '/elsewhere' }).end();
    else response.writeHead(200).end('x'.repeat(100_000));
  });
  const { id } = await holdfast.createSession({ webhooks: [{ url: receiver.url, secret, events: ['step.ended'] }] });
  await holdfast.runStep(id, { code: '1' });
  await eventually(async () => {
    const failed = { status: 'pending', attempts: 1, responseStatus: 302, fault: 'the receiver answered 302' };
    expect(await deliveries(id)).toMatchObject([failed]);
  });
  await eventually(async () => {
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2, fault: null }]);
  });
  expect(new Set(receiver.attempts.map((attempt) => attempt.id)).size).toBe(1);
  expect(receiver.attempts.map(({ path }) => path)).toEqual(['/', '/']);
});

test('a receiver that never answers does not delay another one', async () => {
  await using silent = await startReceiver(() => {});
  await using quick = await startReceiver();
  const events = ['step.ended'];
  const webhooks = [silent, quick].map(({ url }) => ({ url, secret, events }));
  const { id } = await holdfast.createSession({ webhooks });
  for (let n = 0; n < 8; n++) await holdfast.runStep(id, { code: `${n}` });
  await eventually(() => expect(quick.attempts).toHaveLength(8), 9000);
  expect(silent.attempts.length).toBeLessThanOrEqual(4);
});

test('secrets are neither returned nor stored as they are, and no audit entry has them', async () => {
  const { id } = await holdfast.createSession({ webhooks: [{ url: 'https://example.com/hook', secret }] });
  await holdfast.request('PATCH', `/v1/sessions/${id}`, { webhooks: [{ url: 'https://example.com/other', secret }] });
  const shown = await Promise.all(
    [`/v1/sessions/${id}`, `/v1/sessions/${id}/audit`].map((path) => holdfast.request('GET', path)),
  );
  const rows = await installation.database.db.sql`select to_jsonb(sessions) as row from sessions where id = ${id}`;
  const text = JSON.stringify([shown, rows]);
  expect(text).toContain('example.com/other');
  expect(text).not.toContain(secret.slice('whsec_'.length, 20));
});

test('a replica that stops waits for the receivers to which it has posted', async () => {
  await using own = await createInstallation();
  const leaving = await own.start({ HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: 'true' });
  await using receiver = await startReceiver(
    (_, response) => void setTimeout(() => response.writeHead(204).end(), 3000),
  );
  const webhooks = [{ url: receiver.url, secret, events: ['step.ended'] }];
  const { id } = await leaving.createSession({ webhooks });
  await leaving.runStep(id, { code: '1' });
  await eventually(() => expect(receiver.attempts).toHaveLength(1));
  await leaving.stop();
  const rows = await own.database.db.sql`select status, attempts from webhook_deliveries where session_id = ${id}`;
  expect([...rows]).toEqual([{ status: 'delivered', attempts: 1 }]);
});
