import { expect, onTestFinished, test } from 'vitest';
import { startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';
import { serveInSandbox } from './two-replicas.ts';
import { visit } from './visit.ts';

test('on the process runtime a port of the machine can be opened, but not one of Holdfast itself', async () => {
  const dataDir = await temporaryDataDir();
  onTestFinished(dataDir.remove);
  const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, HOLDFAST_METRICS_PORT: '0' });
  onTestFinished(async () => void (await holdfast.stop()));
  const served = await serveInSandbox((_, outgoing) => void outgoing.end('reached'));
  onTestFinished(served.close);
  const { id } = await holdfast.createSession();
  const open = (port: number) => holdfast.request('POST', `/v1/sessions/${id}/ports`, { port });
  const own = await open(Number(new URL(holdfast.url).port));
  expect(own).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const { body } = await open(served.port);
  const { host, port } = new URL(body.url);
  expect(port).toBe(new URL(holdfast.url).port);
  expect((await visit({ at: holdfast.url, host })).text).toBe('reached');
  // Without a key, a page of another site must not reach it through a browser on this machine.
  for (const headers of [{ Origin: 'https://elsewhere.example' }, { 'Sec-Fetch-Site': 'cross-site' }] as Record<
    string,
    string
  >[])
    expect((await visit({ at: holdfast.url, host, headers })).status).toBe(401);
}, 120_000);

test('without a domain no port can be opened, and names below localhost are not taken for ports', async () => {
  const dataDir = await temporaryDataDir();
  onTestFinished(dataDir.remove);
  const env = { HOLDFAST_DATA_DIR: dataDir.path, HOLDFAST_PREVIEW_DOMAIN: 'none' };
  const holdfast = await startHoldfast(env);
  onTestFinished(async () => void (await holdfast.stop()));
  const { id } = await holdfast.createSession();
  const answer = await holdfast.request('POST', `/v1/sessions/${id}/ports`, { port: 8000 });
  expect(answer).toMatchObject({ status: 501, body: { code: 'not-configured' } });
  const health = await visit({ at: holdfast.url, host: `8000-${id.slice(4)}.localhost`, path: '/healthz' });
  expect(health.status).toBe(200);
}, 120_000);
