import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation } from '../support/installation.ts';
import { startLateAnswers } from '../support/late-answers.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

/** A value that makes this file when it is saved, and takes two seconds. */
const slow = (file: string) => `
class Slow:
  def __reduce__(self):
    import time
    open(${JSON.stringify(file)}, "w").close()
    time.sleep(2)
    return (int, ())
slow = Slow()`;

test('a session whose pause fails because the database is away goes on as soon as the database is back', async () => {
  await using installation = await createInstallation();
  await using proxy = await startPostgresProxy(installation.database);
  const holdfast = await installation.start({ DATABASE_URL: proxy.url });
  const file = join(installation.dataDir, 'saving');
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: `n = 1${slow(file)}` });
  const pausing = holdfast.request('POST', `/v1/sessions/${id}/pause`, { force: true });
  await eventually(() => access(file));
  proxy.refuse();
  proxy.reset();
  expect(await pausing).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
  await proxy.accept();
  await eventually(async () => {
    expect(await holdfast.runStep(id, { code: 'n' })).toMatchObject({ results: [{ data: { 'text/plain': '1' } }] });
  }, 20_000);
  expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active', epoch: 1 });
}, 120_000);

test('a session whose pause begins without an answer of the database is active again long before the deadline', async () => {
  await using installation = await createInstallation();
  await using network = await startLateAnswers(installation.database);
  const holdfast = await installation.start({ DATABASE_URL: network.url });
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'n = 1' });
  const status = async () => (await holdfast.request('GET', `/v1/sessions/${id}`)).body.status;
  const pausing = network.hold('with "pausing" as');
  const paused = holdfast.request('POST', `/v1/sessions/${id}/pause`);
  await pausing.answered;
  expect(await status()).toBe('pausing');
  pausing.cut();
  expect(await paused).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
  await eventually(async () => expect(await status()).toBe('active'), 10_000);
  expect(await holdfast.runStep(id, { code: 'n' })).toMatchObject({ results: [{ data: { 'text/plain': '1' } }] });
  await eventually(async () => {
    expect(await holdfast.request('POST', `/v1/sessions/${id}/pause`)).toMatchObject({ status: 200 });
  });
}, 120_000);

test('a session runs steps as soon as it is active again after the end of the data-plane that was pausing it', async () => {
  await using installation = await createInstallation();
  const first = await installation.start();
  const file = join(installation.dataDir, 'saving');
  const { id } = await first.createSession();
  await first.runStep(id, { code: `n = 1${slow(file)}` });
  const pausing = first.request('POST', `/v1/sessions/${id}/pause`, { force: true }).catch(() => null);
  await eventually(() => access(file));
  await first.kill();
  await pausing;
  const holdfast = await installation.start();
  const status = async () => (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
  await eventually(async () => expect(await status()).toMatchObject({ status: 'active', epoch: 1 }), 60_000);
  await eventually(async () => {
    expect(await holdfast.runStep(id, { code: 'n' })).toMatchObject({ results: [{ data: { 'text/plain': '1' } }] });
  }, 5000);
  await rm(file);
  const again = holdfast.request('POST', `/v1/sessions/${id}/pause`, { force: true });
  await eventually(() => access(file));
  // The hold of this pause is not ended with that of the earlier one.
  const refused = { status: 409, body: { code: 'session-paused' } };
  expect(await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: 'n = 2' })).toMatchObject(refused);
  expect(await again).toMatchObject({ status: 200, body: { status: 'paused' } });
}, 120_000);
