import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';

const bootstrapKey = 'bootstrap-key-that-nobody-may-see-0123456789';
const variable = 'value-of-a-session-variable-that-nobody-may-see';
const stepVariable = 'value-of-a-step-variable-that-nobody-may-see';
const typed = 'what-was-typed-that-nobody-may-see';

let installation: Installation;
let holdfast: Holdfast;
const api = () => client(holdfast.url, { authorization: `Bearer ${bootstrapKey}` });

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_BOOTSTRAP_API_KEY: bootstrapKey, HOLDFAST_LOG_LEVEL: 'trace' });
});

afterAll(() => installation[Symbol.asyncDispose]());

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const { sql } = installation.database.db;
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  const rows = await Promise.all(tables.map(({ name }) => sql`select ${sql(name)}::text as row from ${sql(name)}`));
  return JSON.stringify(rows);
}

test("no key, token or variable appears in an answer, the log, the database or the session-agent's environment", async () => {
  const answers: unknown[] = [];
  const keep = <T>(answer: T): T => {
    answers.push(answer);
    return answer;
  };
  const session = keep(await api().createSession({ env: { HIDDEN: variable } }));
  const step = keep(await api().runStep(session.id, { code: 'import os; len(os.environ["HIDDEN"])' }));
  expect(step.results[0]?.data['text/plain']).toBe(String(variable.length));
  const once = { 'idempotency-key': 'run-it-once' };
  const code = 'import os, getpass; len(os.environ["OWN"]) - len(getpass.getpass())';
  const request = { code, env: { OWN: stepVariable }, stdin: true };
  const asking = keep(await api().runStep(session.id, request, once));
  await api().request('POST', `/v1/sessions/${session.id}/steps/${asking.id}/stdin`, { text: typed });
  const waited = await api().request('GET', `/v1/sessions/${session.id}/steps/${asking.id}?waitSeconds=30`);
  expect(keep(waited.body).results[0]?.data['text/plain']).toBe(String(stepVariable.length - typed.length));
  expect(keep(await api().runStep(session.id, request, once))).toEqual(waited.body);
  const changed = { ...request, env: { OWN: `${stepVariable}!` } };
  const refused = await api().request('POST', `/v1/sessions/${session.id}/steps`, changed, once);
  expect(keep(refused.body).code).toBe('idempotency-mismatch');
  const idempotent = { 'idempotency-key': 'make-a-key-once' };
  const make = () => api().request('POST', '/v1/api-keys', { tenant: 'default', scopes: ['run'] }, idempotent);
  const [made, again] = [await make(), await make()];
  expect(made.status).toBe(201);
  expect(again.body).toEqual(made.body);
  for (const path of [
    `/v1/sessions/${session.id}`,
    '/v1/sessions',
    '/v1/api-keys',
    `/v1/sessions/${session.id}/steps`,
  ]) {
    keep((await api().request('GET', path)).body);
  }
  keep(
    (await client(holdfast.url, { 'x-api-key': 'wrong-key-wrong-key-wrong-key' }).request('GET', '/v1/sessions')).body,
  );

  const [route] = await installation.database.db.sql`select * from session_routes`;
  expect(route).toMatchObject({
    session_id: session.id,
    epoch: 1,
    endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
  expect(route?.sandbox_uid).toMatch(/^uid_/);
  expect(route?.token).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);

  const { results } = await api().runStep(session.id, { code: 'os.getppid()' });
  const agentEnvironment = await readFile(`/proc/${results[0]?.data['text/plain']}/environ`, 'latin1');
  expect(agentEnvironment).toContain('HOLDFAST_SANDBOX_UID');
  const signingKey = (await readFile(join(installation.dataDir, 'keys/signing.pem'), 'utf8')).split('\n')[1] as string;
  const encryptionKey = await readFile(join(installation.dataDir, 'keys/encryption.key'), 'utf8');
  const secrets = {
    bootstrapKey,
    variable,
    stepVariable,
    typed,
    madeKey: made.body.key as string,
    signingKey,
    encryptionKey,
  };
  const places = {
    answers: JSON.stringify(answers),
    log: holdfast.output.join('\n'),
    database: await dump(),
    agentEnvironment,
  };
  expect(places.log).toContain('"msg":"request"');
  expect(places.database).toContain(session.id);
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of Object.entries(secrets))
      expect(text.includes(secret), `${name} in ${place}`).toBe(false);
    // A signed token begins with a header that names its algorithm; a sealed one does not.
    expect(text, `a token in ${place}`).not.toMatch(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/);
  }
});

test("every operation on another tenant's session answers 404", async () => {
  const { id } = await api().createSession();
  const step = await api().runStep(id, { code: '1' });
  const made = await api().request('POST', '/v1/api-keys', { tenant: 'other', scopes: ['run'] });
  const other = client(holdfast.url, { 'x-api-key': made.body.key });
  const asked = await Promise.all([
    other.request('GET', `/v1/sessions/${id}`),
    other.request('PATCH', `/v1/sessions/${id}`, { metadata: {} }),
    other.request('POST', `/v1/sessions/${id}/steps`, { code: '1' }),
    other.request('GET', `/v1/sessions/${id}/steps`),
    other.request('GET', `/v1/sessions/${id}/context`),
    other.request('POST', `/v1/sessions/${id}/contexts`, { language: 'node' }),
    other.request('DELETE', `/v1/sessions/${id}/contexts/python`),
    other.request('POST', `/v1/sessions/${id}/contexts/python/restart`),
    other.request('GET', `/v1/sessions/${id}/contexts`),
    other.request('GET', `/v1/sessions/${id}/steps/${step.id}`),
    other.request('GET', `/v1/sessions/${id}/steps/${step.id}/events`),
    other.request('POST', `/v1/sessions/${id}/steps/${step.id}/interrupt`),
    other.request('POST', `/v1/sessions/${id}/steps/${step.id}/stdin`, { text: '' }),
    other.request('GET', `/v1/sessions/${id}/steps/${step.id}?waitSeconds=1`),
    other.request('GET', `/v1/sessions/${id}/steps/${step.id}/output/stdout`),
    other.request('POST', `/v1/sessions/${id}/contexts/python/complete`, { code: 'i', cursor: 1 }),
    other.request('POST', `/v1/sessions/${id}/contexts/python/inspect`, { code: 'i', cursor: 1 }),
    other.request('GET', `/v1/sessions/${id}/contexts/python/background`),
    other.request('POST', `/v1/sessions/${id}/complete`),
    other.request('DELETE', `/v1/sessions/${id}`),
  ]);
  expect(asked.map((answer) => answer.status)).toEqual(asked.map(() => 404));
  expect((await other.request('GET', '/v1/sessions')).body.items).toEqual([]);
  expect((await other.request('GET', '/v1/api-keys')).status).toBe(403);
  expect((await api().request('GET', `/v1/sessions/${id}`)).body.status).toBe('active');
  await api().request('DELETE', `/v1/sessions/${id}`);
  expect((await other.request('GET', `/v1/sessions/${id}`)).status).toBe(404);
});

test('a revoked key is refused at once', async () => {
  const made = await api().request('POST', '/v1/api-keys', { tenant: 'default', scopes: ['run'] });
  const revoked = client(holdfast.url, { 'x-api-key': made.body.key });
  expect((await revoked.request('GET', '/v1/sessions')).status).toBe(200);
  expect((await api().request('DELETE', `/v1/api-keys/${made.body.id}`)).status).toBe(204);
  expect((await revoked.request('GET', '/v1/sessions')).status).toBe(401);
  expect((await holdfast.request('GET', '/v1/sessions')).status).toBe(401);
});
