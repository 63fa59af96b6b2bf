import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
});
afterAll(() => installation[Symbol.asyncDispose]());

/** Purges all steps of a session but the latest one. */
async function purge() {
  const limits = retentionOf({
    stepsPerSessionMax: 1,
    bytesPerSessionMax: 2 ** 40,
    bytesPerTenantMax: 2 ** 40,
    retentionSeconds: 3600,
  });
  expect((await purgeHistory(installation.database.db, limits)).steps).toBeGreaterThan(0);
}

const forgotten = { status: 'lost', cause: { code: 'result_forgotten' } };

/** A request under a key that appends a line to a file when it runs. `post` may be repeated, with other fields on request. */
async function keyed(path: 'steps' | 'run') {
  const { id: sessionId } = await holdfast.createSession();
  const ledger = join(installation.dataDir, `ledger-${sessionId}`);
  const code = `with open(${JSON.stringify(ledger)}, 'a') as f: f.write('ran\\n')\nprint('secret output')`;
  const [to, body] =
    path === 'steps' ? [`sessions/${sessionId}/steps`, { code }] : ['run', { code, sessionId, language: 'python' }];
  const post = (other: object = {}) =>
    holdfast.request('POST', `/v1/${to}`, { ...body, ...other }, { 'Idempotency-Key': 'one' });
  const runs = async () => (await readFile(ledger, 'utf8')).trim().split('\n').length;
  const first = await post();
  expect(first).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  await holdfast.runStep(sessionId, { code: '"the latest"' });
  return { sessionId, post, runs, id: first.body.id as string };
}

test.each(['steps', 'run'] as const)(
  'a repeated request to /%s whose step was purged is told that it ran, and runs nothing',
  async (path) => {
    const { sessionId, post, runs, id } = await keyed(path);
    await purge();
    expect(await post()).toMatchObject({ status: 200, body: { id, ...forgotten } });
    expect(await post({ code: 'another' })).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } });
    expect(await runs()).toBe(1);
    expect((await holdfast.history(sessionId)).map(({ number }) => number)).toEqual([2]);
    const [row] = await installation.database.db.sql`select code, events, cause from steps where id = ${id}`;
    expect(row).toEqual({
      code: '',
      events: null,
      cause: { code: 'result_forgotten', message: 'it ended as succeeded, and its record was purged' },
    });
  },
);

test('a repeat after its key has expired does not claim that the step never started, because its agent remembers the id', async () => {
  const { post, runs, id } = await keyed('steps');
  await purge();
  const { sql } = installation.database.db;
  await sql`update steps set finished_at = finished_at - interval '25 hours' where id = ${id}`;
  await purgeHistory(
    installation.database.db,
    retentionOf({
      stepsPerSessionMax: 1,
      bytesPerSessionMax: 2 ** 40,
      bytesPerTenantMax: 2 ** 40,
      retentionSeconds: 3600,
    }),
  );
  expect(await sql`select id from steps where id = ${id}`).toHaveLength(0);
  expect(await post()).toMatchObject({ status: 200, body: { id, ...forgotten } });
  expect(await runs()).toBe(1);
});

test.each(['steps', 'run'] as const)(
  'a repeated request to /%s is answered as before after its session has ended',
  async (path) => {
    const { sessionId, post, runs, id } = await keyed(path);
    await holdfast.request('POST', `/v1/sessions/${sessionId}/complete`);
    expect(await post()).toMatchObject({ status: 200, body: { id, status: 'succeeded' } });
    expect(await post({ code: 'another' })).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } });
    const other = await holdfast.request(
      'POST',
      `/v1/sessions/${sessionId}/steps`,
      { code: '1' },
      { 'Idempotency-Key': 'two' },
    );
    expect(other).toMatchObject({ status: 410, body: { code: 'session-ended' } });
    expect(await runs()).toBe(1);
  },
);
