import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepEvent } from '@holdfast/specs/public';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { injectStepFaults, type StepFaults } from '../support/step-faults.ts';

let installation: Installation;
let admin: Database;
let holdfast: Holdfast;
let faults: StepFaults;

/** A role of its own, because a test forbids it to log in. */
let role: string;

beforeAll(async () => {
  installation = await createInstallation();
  const { url, owner } = installation.database;
  const { admin: superuser, program } = inject('postgres');
  admin = connectDatabase({ ...superuser, poolMax: 1 });
  role = `role_${randomBytes(8).toString('hex')}`;
  await admin.sql.unsafe(`create role ${role} login password 'secret' in role ${program.user}`);
  faults = await injectStepFaults(owner);
  const own = new URL(url);
  Object.assign(own, { username: role, password: 'secret' });
  holdfast = await installation.start({ DATABASE_URL: own.href });
});

afterEach(async () => {
  await allowLogins();
  await faults.end();
});

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await admin.sql.unsafe(`drop role ${role}`);
  await admin.close();
});

/** Code that runs until `end` is called. */
function untilTold(name: string) {
  const path = join(installation.dataDir, name);
  const wait = `import os, time\nwhile not os.path.exists(${JSON.stringify(path)}): time.sleep(0.01)`;
  return { wait, end: () => writeFile(path, '') };
}

const logged = (state: string) =>
  holdfast.output.filter((line) => line.includes('steps could not be recorded') && line.includes(state)).length;

const row = async (sessionId: string, stepId: string) =>
  (await holdfast.request('GET', `/v1/sessions/${sessionId}/steps/${stepId}`)).body;

/** From now on every connection of the program ends, and none can be made. */
async function refuseLogins() {
  await admin.sql.unsafe(`alter role ${role} nologin`);
  await admin.sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`;
}

const allowLogins = () => admin.sql.unsafe(`alter role ${role} login`);

/** A step that ends while logins are refused, seen to be so: its agent has the result. */
async function stepThatEndsMeanwhile(name: string) {
  const { id } = await holdfast.createSession();
  const mark = join(installation.dataDir, `${name}-ran`);
  const running = untilTold(name);
  const code = `print("begun", flush=True)\n${running.wait}\nopen(${JSON.stringify(mark)}, 'w').close()\n6 * 7`;
  const stream = holdfast.streamStep(id, { code });
  await stream.next();
  const before = logged('28000');
  await refuseLogins();
  await running.end();
  await eventually(() => expect(existsSync(mark)).toBe(true));
  await eventually(() => expect(logged('28000') - before).toBeGreaterThan(5));
  return { id, stream };
}

const result = [{ data: { 'text/plain': '42' } }];

test('a step that ends while logins are refused keeps its true result', async () => {
  const { id, stream } = await stepThatEndsMeanwhile('true-result');
  await allowLogins();
  let last: StepEvent | undefined;
  for await (const event of stream) last = event;
  expect(last).toMatchObject({ type: 'finished', step: { status: 'succeeded', results: result } });
  expect(await row(id, (last as StepEvent).stepId)).toMatchObject({ status: 'succeeded', results: result });
});

test('no step begins while the end of another cannot be written, and the replica says so', async () => {
  const { id, stream } = await stepThatEndsMeanwhile('refused-meanwhile');
  const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: '1' });
  expect(refused).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
  const ready = await holdfast.request('GET', '/readyz');
  expect(ready).toMatchObject({ status: 503, body: { checks: { history: 'steps cannot be recorded' } } });
  await allowLogins();
  for await (const _ of stream);
  expect(await holdfast.runStep(id, { code: '1' })).toMatchObject({ status: 'succeeded' });
});

test('a step that is answered is in the history, although its first writes met an input or output error', async () => {
  const { id } = await holdfast.createSession();
  const hits = await faults.begin({ state: '58030', moment: 'end', code: '"58030"' });
  const answered = holdfast.runStep(id, { code: '"58030"' });
  await eventually(async () => expect(await hits()).toBeGreaterThan(8));
  await faults.end();
  const step = await answered;
  expect(step).toMatchObject({ status: 'succeeded', number: 1 });
  expect(await row(id, step.id)).toEqual(step);
});

test('a client sees nothing of a step before its intent is written, however long that takes', async () => {
  const { id } = await holdfast.createSession();
  const running = untilTold('intent');
  const code = `print("begun", flush=True)\n${running.wait}`;
  const hits = await faults.begin({ state: '58030', moment: 'intent', code });
  const stream = holdfast.streamStep(id, { code });
  let seen = 0;
  const first = stream.next().then((event) => {
    seen++;
    return event.value as StepEvent;
  });
  await eventually(async () => expect(await hits()).toBeGreaterThan(6));
  expect(seen).toBe(0);
  await faults.end();
  const { stepId } = await first;
  expect(await row(id, stepId)).toMatchObject({ number: 1 });
  await running.end();
  for await (const _ of stream);
  expect(await row(id, stepId)).toMatchObject({ status: 'succeeded', stdout: 'begun\n' });
});

test('no step begins while the database does not answer a write, although it reports no error', async () => {
  const { id } = await holdfast.createSession();
  const { db } = installation.database;
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const lock = db.transaction(async ({ sql }) => {
    await sql`lock table steps in access exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const waiting = holdfast.runStep(id, { code: '"waited"' });
  await eventually(async () =>
    expect((await holdfast.request('GET', '/readyz')).body.checks).toMatchObject({
      database: 'ok',
      history: 'steps cannot be recorded',
    }),
  );
  const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: '1' });
  expect(refused).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
  release.resolve();
  await lock;
  expect(await waiting).toMatchObject({ status: 'succeeded', number: 1 });
  expect((await holdfast.request('GET', '/readyz')).status).toBe(200);
});

test('a step whose end the registry refuses is announced as it is recorded', async () => {
  const { id } = await holdfast.createSession();
  const hits = await faults.begin({ state: '23514', moment: 'success', code: 'print("refused")' });
  const step = await holdfast.runStep(id, { code: 'print("refused")' });
  expect(step).toMatchObject({ status: 'lost', cause: { code: 'result_refused' }, stdout: '' });
  expect(await hits()).toBe(1);
  expect(await row(id, step.id)).toEqual(step);
});

test('a step that the registry refuses altogether is answered with a problem, and its agent keeps the result', async () => {
  const { id } = await holdfast.createSession();
  const code = 'import time; time.sleep(0.2); "kept"';
  const hits = await faults.begin({ state: '23514', moment: 'end', code });
  const answer = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code });
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
  expect(await hits()).toBeGreaterThan(1);
  expect(await holdfast.history(id)).toMatchObject([{ status: 'running', finishedAt: null }]);
  await faults.end();
  const result = [{ data: { 'text/plain': "'kept'" } }];
  await eventually(
    async () => expect(await holdfast.history(id)).toMatchObject([{ status: 'succeeded', results: result }]),
    30_000,
  );
}, 60_000);
