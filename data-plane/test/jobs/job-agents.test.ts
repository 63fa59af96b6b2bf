import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentJob, encodeFrame } from '@holdfast/specs/agent';
import { Problem, type RunJob, runJobSchema, type Step } from '@holdfast/specs/public';
import { beforeEach, expect, test } from 'vitest';
import { isLong } from '../../src/reading/json-slices.ts';
import type { LiveStep } from '../../src/steps/live-step.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

/** An agent's answer to a job: a refusal, or the frames after the first one. */
type JobAnswer = (job: AgentJob) => Problem | Parameters<typeof encodeFrame>[];

const done = { contextEpoch: 1, executionCount: 0, durationMs: 1, stateSurvived: true, cause: null };
const succeeding: JobAnswer = () => [['done', 2, { ...done, status: 'succeeded' }]];

let answerJob: JobAnswer;
/** The jobs that agents have received. */
let sent: AgentJob[];
/** The paths of the files that agents have put in their place. */
let placed: (string | null)[];

beforeEach(() => {
  answerJob = succeeding;
  sent = [];
  placed = [];
  given.cluster.answering = (request, response) => {
    // An upload may be cut.
    if (request.method === 'PUT' && request.url?.startsWith('/v1/files')) written(request, response).catch(() => {});
    else if (request.url === '/v1/jobs') void job(request, response);
    else return false;
    return true;
  };
});

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function written(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = await bytesOf(request);
  const path = new URL(request.url ?? '', 'http://agent').searchParams.get('path');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  placed.push(path);
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ path, size: bytes.length, sha256 }));
}

async function job(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = JSON.parse((await bytesOf(request)).toString());
  sent.push(asked);
  const answer = answerJob(asked);
  if (answer instanceof Problem) {
    response.writeHead(answer.status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify(answer.body()));
    return;
  }
  response.write(encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }));
  response.end(Buffer.concat(answer.map((frame) => encodeFrame(...frame))));
}

const request = (body: object = {}): RunJob => runJobSchema.parse({ language: 'python', code: 'print(1)', ...body });
const run = ({ verbs, caller }: TestReplica, body: object = {}, idempotencyKey = 'k'): Promise<LiveStep> =>
  verbs.runJob({ caller, request: request(body), idempotencyKey });
const ended = (live: LiveStep): Promise<Step> =>
  eventually(() => {
    if (!live.finished || isLong(live.finished)) throw new Error('it has not ended');
    return live.finished;
  });
const sessions = async () =>
  await given.db.sql`select id, status, end_reason, job_id from sessions order by created_at`;
const omissions = ({ artifacts }: Step) =>
  Object.fromEntries(artifacts.map(({ role, size, omission }) => [role, omission ?? size]));

test('a job that its agent refuses leaves only a session that has ended, and its key is free', async () => {
  const replica = await given.replica([]);
  answerJob = () => new Problem('unsupported-by-runtime', { detail: 'python is not installed here' });
  const detail = 'python is not installed here';
  await expect(run(replica)).rejects.toMatchObject({ slug: 'unsupported-by-runtime', options: { detail } });
  await eventually(async () =>
    expect(await sessions()).toMatchObject([{ status: 'completed', end_reason: 'job_ended' }]),
  );
  const [left] = await given.db
    .sql`select (select count(*)::int from steps) steps, (select count(*)::int from artifacts) artifacts`;
  expect(left).toEqual({ steps: 0, artifacts: 0 });
  answerJob = succeeding;
  const step = await ended(await run(replica));
  expect(step).toMatchObject({ status: 'succeeded', contextId: null, contextEpoch: null, executionCount: null });
  await eventually(async () =>
    expect(await sessions()).toMatchObject([{ status: 'completed' }, { status: 'completed', job_id: step.id }]),
  );
});

test('a job that was handed over runs once, and the first replica does not end its session when it wakes', async () => {
  const [first, second] = [await given.replica([]), await given.replica([])];
  const [held, launching] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  given.cluster.beforeLaunch = async () => {
    given.cluster.beforeLaunch = async () => {};
    launching.resolve();
    await held.promise;
  };
  const begun = run(first);
  await launching.promise;
  // The first replica was silent for so long that it counts as gone.
  await given.db.sql`delete from replicas where id = (select replica_id from idempotency_keys)`;
  const [going, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answering = given.cluster.answering;
  given.cluster.answering = (asked, response) => {
    if (asked.url !== '/v1/jobs') return answering(asked, response);
    going.resolve();
    goOn.promise.then(() => answering(asked, response));
    return true;
  };
  const resumed = run(second);
  await going.promise;
  held.resolve();
  await expect(begun).rejects.toMatchObject({ slug: 'idempotency-conflict' });
  await first.backgroundSettled();
  expect(await sessions()).toMatchObject([{ status: 'active' }]);
  goOn.resolve();
  expect(await ended(await resumed)).toMatchObject({ status: 'succeeded' });
  expect(sent).toHaveLength(1);
  expect(await sessions()).toHaveLength(1);
});

test('a replica that slept while it wrote the inputs of a job writes none after the job was taken over', async () => {
  const replica = await given.replica([]);
  const { id: sessionId } = await replica.createSession();
  await given.db.sql`insert into replicas (id, slot) values ('rep_other', 'other')`;
  await given.db.sql`insert into worlds (session_id, writer, replica_id) values (${sessionId}, 'other', 'rep_other')`;
  const begun = run(replica, { sessionId, files: { 'input.txt': 'old' } });
  begun.catch(() => {});
  await eventually(async () => {
    const taken = await given.db
      .sql`update steps set replica_id = 'rep_other' where session_id = ${sessionId} returning id`;
    expect(taken).toHaveLength(1);
  });
  await given.db.sql`update worlds set writer = null, replica_id = null`;
  await expect(begun).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
  expect({ placed, sent }).toEqual({ placed: [], sent: [] });
  expect(await given.db.sql`select path from world_files`).toEqual([]);
  expect(await given.db.sql`select replica_id from steps`).toMatchObject([{ replica_id: 'rep_other' }]);
});

test('lists output that was not stored, with the reason', async () => {
  const limits = { HOLDFAST_KEPT_FILE_BYTES_MAX: '100', HOLDFAST_KEPT_SESSION_BYTES_MAX: '150' };
  const replica = await given.replica([], limits);
  answerJob = () => [
    ['stdout', 2, Buffer.alloc(101, 'a')],
    ['stderr', 3, Buffer.alloc(100, 'b')],
    ['done', 4, { ...done, status: 'succeeded' }],
  ];
  expect(omissions(await ended(await run(replica, {}, 'one')))).toEqual({ stdout: 'too-large', stderr: 100 });
  answerJob = () => [
    ['stdout', 2, Buffer.alloc(99, 'a')],
    ['stderr', 3, Buffer.alloc(98, 'b')],
    ['done', 4, { ...done, status: 'succeeded' }],
  ];
  expect(omissions(await ended(await run(replica, {}, 'two')))).toEqual({
    stdout: 99,
    stderr: 'session-limit',
  });
});

test('lists output for which the tenant has no room, whichever session it is of', async () => {
  const replica = await given.replica([], { HOLDFAST_KEPT_TENANT_BYTES_MAX: '142' });
  answerJob = () => [
    ['stdout', 2, Buffer.alloc(100, 'a')],
    ['done', 3, { ...done, status: 'succeeded' }],
  ];
  expect(omissions(await ended(await run(replica, {}, 'one')))).toEqual({ stdout: 100, stderr: 0 });
  answerJob = () => [
    ['stdout', 2, Buffer.alloc(40, 'c')],
    ['stderr', 3, Buffer.alloc(5, 'd')],
    ['done', 4, { ...done, status: 'succeeded' }],
  ];
  const second = await ended(await run(replica, {}, 'two'));
  expect([second.status, omissions(second)]).toEqual(['succeeded', { stdout: 40, stderr: 'tenant-limit' }]);
});

test('stores the output in the events if the sandbox does not have the rest of a long output', async () => {
  const replica = await given.replica([]);
  answerJob = () => [
    ['stdout', 2, Buffer.from('head')],
    ['truncated', 3, { stream: 'stdout', bytes: 1_000_000 }],
    ['stdout', 4, Buffer.from('tail')],
    ['done', 5, { ...done, status: 'failed', cause: { code: 'process_exited', exitCode: 9 } }],
  ];
  const step = await ended(await run(replica));
  expect(step).toMatchObject({ truncated: true, job: { exitCode: 9, signal: null, timedOut: false } });
  expect(omissions(step)).toEqual({ stdout: 8, stderr: 0 });
});

test('no session is created for a language that is missing from every profile', async () => {
  const replica = await given.replica([]);
  await expect(run(replica, { language: 'bun' })).rejects.toMatchObject({
    slug: 'unsupported-by-runtime',
    options: { errors: [{ pointer: '/language' }] },
  });
  expect(await sessions()).toEqual([]);
  const { id: sessionId } = await replica.createSession();
  await expect(run(replica, { language: 'bun', sessionId })).rejects.toMatchObject({
    options: { detail: 'the session\'s profile "default" has python, node, not bun' },
  });
  expect(sent).toEqual([]);
});
