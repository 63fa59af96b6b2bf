import { createSessionSchema, updateSessionSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

const cluster = createScriptedCluster();
let database: TestDatabase;
let replica: TestReplica;
/** How often an agent was told a policy. */
let told = 0;
beforeAll(async () => {
  cluster.answering = ({ method, url }, response) => {
    if (method !== 'PUT' || url !== '/v1/policy') return false;
    told += 1;
    response.writeHead(204).end();
    return true;
  };
  database = await createTestDatabase();
  const env = { HOLDFAST_DEFAULT_POLICY: '{"preset":"safe-edit","world":{"writePatterns":["src/**"]}}' };
  replica = await startReplica({ address: database.address, runtime: cluster.runtime([]), env });
});
afterAll(async () => {
  await replica.stop();
  await cluster.close();
  await database.drop();
});

const run = { tenant: 'acme', scopes: new Set(['run'] as const), keyId: null };
const host = { ...run, scopes: new Set(['run', 'host'] as const) };
const create = (caller: typeof run | typeof host, policy?: unknown) =>
  replica.verbs.createSession({ caller, request: createSessionSchema.parse({ policy }) });
const update = (caller: typeof run | typeof host, id: string, policy: unknown) =>
  replica.verbs.updateSession({ caller, id, patch: updateSessionSchema.parse({ policy }) });

const forbidden = { slug: 'forbidden', options: { detail: expect.stringContaining('scope host') } };

test("a session gets the operator's policy, and only the host may ask for one that allows more", async () => {
  const world = { writePatterns: ['src/**'], proposalMode: true };
  expect((await create(run)).policy).toMatchObject({ preset: null, world });
  const narrower = await create(run, { world: { writePatterns: ['src/a/*'] } });
  expect(narrower.policy).toMatchObject({ world: { writePatterns: ['src/a/*'], proposalMode: true } });
  await expect(create(run, 'unrestricted')).rejects.toMatchObject(forbidden);
  await expect(create(run, { world: { writePatterns: ['**'] } })).rejects.toMatchObject(forbidden);
  expect((await create(host, 'unrestricted')).policy.preset).toBe('unrestricted');
});

test('anyone who may run steps may tighten the policy, and only the host may loosen it', async () => {
  const { id } = await create(run);
  const tight = { execution: { allowShellCommands: false }, llm: { maxTokensPerCall: 5 } };
  expect((await update(run, id, tight)).policy).toMatchObject(tight);
  await expect(update(run, id, { execution: { allowShellCommands: true } })).rejects.toMatchObject(forbidden);
  await expect(update(run, id, 'safe-edit')).rejects.toMatchObject(forbidden);
  await expect(update(run, id, { llm: { maxTokensPerCall: 6 } })).rejects.toMatchObject(forbidden);
  expect((await update(run, id, { llm: { maxTokensPerCall: 4 } })).policy.llm.maxTokensPerCall).toBe(4);
  expect((await update(host, id, 'unrestricted')).policy.preset).toBe('unrestricted');
});

test('changes at the same time are made one after the other, each counted, and none undoes another', async () => {
  const { id } = await create(run);
  const rules = [
    { execution: { allowShellCommands: false } },
    { execution: { allowSubeval: false } },
    { llm: { allowComplete: false } },
    { llm: { allowIntent: false } },
  ];
  await Promise.all(rules.map((rule) => update(run, id, rule)));
  const { policy } = await replica.verbs.getSession({ caller: run, id });
  expect(policy).toMatchObject({
    execution: { allowShellCommands: false, allowSubeval: false },
    llm: { allowComplete: false, allowIntent: false },
  });
  await update(run, id, { execution: { allowSubeval: false } });
  const [row] = await database.db.sql`select policy_revision from sessions where id = ${id}`;
  expect(row).toMatchObject({ policy_revision: rules.length });
});

test('the audit log has each change of a policy with its rules', async () => {
  const { id } = await create(run);
  await update(host, id, { execution: { allowSubeval: false } });
  const rows = await database.db.sql`
    select arguments from audit_entries where session_id = ${id} and operation = 'session.update'`;
  expect(rows).toMatchObject([{ arguments: { policy: { execution: { allowSubeval: false } } } }]);
});

test('a change is told to the agent before it is answered, and again if the request is repeated', async () => {
  const { id } = await create(run);
  const policy = { execution: { allowSubeval: false } };
  for (const _ of [1, 2]) {
    const before = told;
    await update(run, id, policy);
    expect(told).toBe(before + 1);
  }
});

test('a change that the agent does not acknowledge is not answered as if it held', async () => {
  const { id } = await create(run);
  const answering = cluster.answering;
  cluster.answering = ({ url }, response) => {
    if (url !== '/v1/policy') return false;
    response.destroy();
    return true;
  };
  const policy = { execution: { allowSubeval: false } };
  await expect(update(run, id, policy)).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
  cluster.answering = answering;
  expect((await update(run, id, policy)).policy).toMatchObject(policy);
});

test('a sandbox of an earlier version, which knows no policy, is named as the reason', async () => {
  const { id } = await create(run);
  const answering = cluster.answering;
  cluster.answering = ({ url }, response) => {
    if (url !== '/v1/policy') return false;
    const body = { type: '/docs#problem-not-found', code: 'not-found', title: 'Not found', status: 404 };
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
    return true;
  };
  await expect(update(run, id, { execution: { allowSubeval: false } })).rejects.toMatchObject({
    slug: 'unsupported-by-runtime',
    options: { detail: expect.stringContaining('earlier version') },
  });
  cluster.answering = answering;
});
