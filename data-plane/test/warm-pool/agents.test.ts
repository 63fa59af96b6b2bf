import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programPath } from '../../../runtime-images/test/support/program-path.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { createApp } from '../../src/http/create-app.ts';
import { serveApp } from '../../src/http/edge/serve-app.ts';
import { mintToken } from '../../src/keys/mint-token.ts';
import { newSigningKey, type SigningKeys, signingKeys } from '../../src/keys/signing-keys.ts';
import { createProcessRuntime } from '../../src/runtimes/process/create-process-runtime.ts';
import type { Runtime } from '../../src/runtimes/runtime.ts';
import { agentEnvironment } from '../../src/start/agent-environment.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { agentOf } from '../support/process-runtime.ts';
import { client, nothingRunsIn, temporaryDataDir } from '../support/start-holdfast.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

const agentMain = programPath('session-agent/src/main.ts');

let database: TestDatabase;
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
let signing: SigningKeys;
let runtime: Runtime;
let replica: TestReplica;
let served: Awaited<ReturnType<typeof serveApp>>;
let api: ReturnType<typeof client>;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await temporaryDataDir();
  signing = await signingKeys({ current: newSigningKey() });
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', TMPDIR: dataDir.path };
  const processes = createProcessRuntime({
    dataDir: dataDir.path,
    deployment: 'holdfast',
    database: 'db-1',
    agentEnv: { ...env, ...agentEnvironment(parseConfig({ HOLDFAST_ENV: 'development' }), signing) },
    node: process.execPath,
    agentMain,
    languages: ['python', 'node'],
  });
  const warmPools = [{ profile: 'default', network: 'internet', size: 2, template: 'one' }] as const;
  runtime = { ...processes, capabilities: { ...processes.capabilities, warmPools } };
  replica = await startReplica({ address: database.address, runtime, signing });
  const app = createApp({ ...replica, agentAuthBypassed: false, bodyBytesMax: 1_000_000 });
  served = await serveApp(app, { host: '127.0.0.1', port: 0 });
  api = client(served.url);
  await replica.duties.warmPools.maintain();
});

afterAll(async () => {
  await served.close({ graceMs: 0 });
  await replica.stop();
  await Promise.all((await runtime.list()).map((sandbox) => runtime.destroy(sandbox)));
  await nothingRunsIn(dataDir.path);
  await dataDir.remove();
  await database.drop();
});

const ready = () =>
  eventually(async () => {
    const names = await database.db.sql<{ name: string; uid: string }[]>`
      select name, uid from warm_sandboxes where ready_at is not null and session_id is null`;
    expect(names).toHaveLength(2);
    return names;
  }, 30_000);

const endpointOf = async (uid: string) => {
  const [sandbox] = await database.db.sql<
    { endpoint: string }[]
  >`select endpoint from warm_sandboxes where uid = ${uid}`;
  return sandbox?.endpoint;
};

const sandboxOf = async (sessionId: string) => {
  const [route] = await database.db.sql<{ name: string; uid: string }[]>`
    select sandbox_name as name, sandbox_uid as uid from session_routes where session_id = ${sessionId}`;
  return route;
};

test('two sessions claim different sandboxes of one warm pool, each with its own interpreter', async () => {
  const names = (await ready()).map(({ name }) => name);
  const sessions = await Promise.all([api.createSession(), api.createSession()]);
  const [one, other] = sessions.map(({ id }) => id) as [string, string];
  const given = await Promise.all(sessions.map(async ({ id }) => (await sandboxOf(id))?.name));
  expect(given.toSorted()).toEqual(names.toSorted());
  await api.runStep(one, { code: 'x = 41' });
  const [same, stranger] = [await api.runStep(one, { code: 'x + 1' }), await api.runStep(other, { code: 'x' })];
  expect(same.results[0]?.data['text/plain']).toBe('42');
  expect(stranger.error?.name).toBe('NameError');
  expect((await api.request('DELETE', `/v1/sessions/${one}`)).status).toBe(204);
  expect((await api.request('DELETE', `/v1/sessions/${other}`)).status).toBe(204);
});

test('a sandbox that a replica told of a session before it died serves no other session', async () => {
  const told = await ready();
  for (const { uid } of told) {
    const subject = { sessionId: newId('ses'), sandboxUid: uid, epoch: 1 };
    const { token } = await mintToken({ issuer: 'holdfast', key: signing.current }, subject, Date.now());
    const response = await fetch(`${await endpointOf(uid)}/v1/session`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ language: 'python', env: { OF_ANOTHER: 'session' } }),
    });
    expect(response.status).toBe(200);
  }
  const { id } = await api.createSession();
  expect(told.map(({ uid }) => uid)).not.toContain((await sandboxOf(id))?.uid);
  const step = await api.runStep(id, { code: 'import os; os.environ.get("OF_ANOTHER", "none")' });
  expect(step.results[0]?.data['text/plain']).toBe("'none'");
  expect((await api.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
});

test('a session that claims a sandbox whose agent was killed gets another sandbox and works', async () => {
  const dead = await ready();
  for (const { uid } of dead) process.kill((await agentOf(uid)).pid, 'SIGKILL');
  const { id } = await api.createSession();
  expect(dead.map(({ uid }) => uid)).not.toContain((await sandboxOf(id))?.uid);
  expect((await api.runStep(id, { code: '6 * 7' })).results[0]?.data['text/plain']).toBe('42');
  expect((await api.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
});
