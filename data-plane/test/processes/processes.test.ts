import { Problem, processSchema, startProcessSchema } from '@holdfast/specs/public';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LogEnd } from '../../src/processes/log/follow-log.ts';
import type { LogPiece } from '../../src/processes/log/log-piece.ts';
import { handOverProcesses } from '../../src/reconcile/duties/hand-over-processes.ts';
import { budgetOf } from '../budgets/budget-rows.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';
import { createScriptedProcesses, type ScriptedProcess } from './scripted-processes.ts';

let database: TestDatabase;
let cluster: ScriptedCluster;
let agent: ReturnType<typeof createScriptedProcesses>;
let one: TestReplica;
let other: TestReplica;
const processesMax = 20;

beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  cluster = createScriptedCluster();
  const env = { HOLDFAST_SESSION_PROCESSES_MAX: String(processesMax) };
  const start = () => startReplica({ address: database.address, runtime: cluster.runtime([]), env });
  [one, other] = [await start(), await start()];
});
beforeEach(() => {
  agent = createScriptedProcesses();
  cluster.answering = agent.answering;
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await cluster.close();
  await database.drop();
});
let leave = new AbortController();
afterEach(() => {
  leave.abort();
  leave = new AbortController();
});

type Replica = TestReplica;
const caller = { tenant: 'acme', scopes: new Set(['run', 'host', 'admin'] as const), keyId: null };

const start = (replica: Replica, sessionId: string, body: object = {}, idempotencyKey?: string) => {
  const request = startProcessSchema.parse({ command: ['sleep', '9'], ...body });
  return replica.verbs.startProcess({ caller, sessionId, request, ...(idempotencyKey && { idempotencyKey }) });
};
const read = (replica: Replica, sessionId: string, processId: string, waitSeconds = 0) =>
  replica.verbs.getProcess({ caller, sessionId, processId, waitSeconds });

async function running(body: object = {}, session: object = {}) {
  const { id: sessionId } = await one.createSession(session);
  const { id } = await start(one, sessionId, body);
  return { sessionId, id, key: { caller, sessionId, processId: id }, process: agent.get(id) };
}

/** Everything that a reader gets behind a place, until `until` is true. */
async function follow(replica: Replica, key: object, after: number, until: (got: (LogPiece | LogEnd)[]) => boolean) {
  const got: (LogPiece | LogEnd)[] = [];
  const { pieces } = await replica.verbs.followProcess({ ...(key as Key), after, signal: leave.signal });
  for await (const piece of pieces) {
    got.push(piece);
    if (until(got)) break;
  }
  return got;
}
type Key = Parameters<TestReplica['verbs']['followProcess']>[0];
const ended = (got: (LogPiece | LogEnd)[]) => got.at(-1)?.type === 'finished';
const textOf = (got: (LogPiece | LogEnd)[]) =>
  Buffer.concat(got.flatMap((piece) => ('bytes' in piece ? [piece.bytes] : []))).toString();

test('a process runs, shows its output so far, and ends with its exit, its output and its usage', async () => {
  const { sessionId, id, process } = await running({ cwd: 'src', actor: 'user', actorName: 'Ada' });
  process.write('stdout', 'half ');
  process.write('stderr', 'oh ');
  const now = await read(other, sessionId, id);
  expect(now).toMatchObject({ status: 'running', stdout: 'half ', stderr: 'oh ', finishedAt: null, number: 1 });
  process.write('stdout', 'done');
  process.end({ exitCode: 3 });
  const after = await read(one, sessionId, id, 10);
  expect(processSchema.parse(after)).toMatchObject({
    status: 'exited',
    exitCode: 3,
    signal: null,
    pid: 42,
    cwd: '/workspace/src',
    command: ['sleep', '9'],
    actor: 'user',
    actorName: 'Ada',
    stdout: 'half done',
    stderr: 'oh ',
    truncated: false,
    usage: { cpuSeconds: 0.25, memoryBytesMax: 4096 },
  });
  expect(await read(other, sessionId, id)).toEqual(after);
  await eventually(() => expect(process.isAcknowledged).toBe(true));
});

test('a process is shown without its output if its sandbox does not answer with it', async () => {
  const { sessionId, id, process } = await running();
  process.write('stdout', 'unseen');
  process.isSilent = true;
  expect(await read(other, sessionId, id)).toMatchObject({ status: 'running', stdout: '' });
});

test('a client that waits gets the process when it ends, or as it is when the time is over, on any replica', async () => {
  const { sessionId, id, process } = await running();
  expect(await read(other, sessionId, id, 0.2)).toMatchObject({ status: 'running' });
  const waiting = [one, other].map((replica) => read(replica, sessionId, id, 30));
  process.end({ status: 'signalled', exitCode: null, signal: 'SIGKILL' });
  for (const answer of await Promise.all(waiting))
    expect(answer).toMatchObject({ status: 'signalled', signal: 'SIGKILL' });
});

test('a request with the same key starts one process, and another request with it is refused', async () => {
  const { id: sessionId } = await one.createSession();
  const first = await start(one, sessionId, {}, 'key');
  const again = await start(other, sessionId, {}, 'key');
  expect(again.id).toBe(first.id);
  expect(agent.state.starts).toBe(1);
  await expect(start(one, sessionId, { cwd: 'x' }, 'key')).rejects.toMatchObject({ slug: 'idempotency-mismatch' });
  agent.get(first.id).end();
  await read(one, sessionId, first.id, 10);
  expect(await start(other, sessionId, {}, 'key')).toMatchObject({ id: first.id, status: 'exited' });
  await one.verbs.endSession({ caller, id: sessionId, to: 'completed' });
  expect(await start(other, sessionId, {}, 'key')).toMatchObject({ id: first.id, status: 'exited' });
  await expect(start(other, sessionId, { cwd: 'x' }, 'key')).rejects.toMatchObject({ slug: 'idempotency-mismatch' });
  await expect(start(other, sessionId, {}, 'another')).rejects.toMatchObject({ slug: 'session-ended' });
});

test('a process that the agent refuses leaves no row, and its key can be used again', async () => {
  const { id: sessionId } = await one.createSession({ budget: { iterations: 3, timeSeconds: 100 } });
  agent.state.refuse = new Problem('command-not-started', { detail: 'nope: no such program' });
  await expect(start(one, sessionId, {}, 'key')).rejects.toMatchObject({
    slug: 'command-not-started',
    options: { detail: 'nope: no such program' },
  });
  const list = await one.verbs.listProcesses({ caller, sessionId, limit: 10 });
  expect(list.items).toEqual([]);
  agent.state.refuse = null;
  await start(other, sessionId, {}, 'key');
  const session = (await one.db.sql<never[]>`select budget_of as "budgetOf" from sessions where id = ${sessionId}`)[0];
  expect(await budgetOf(one.db, session as never)).toMatchObject({ iterationsUsed: 1, timeReservedMs: 20_000 });
});

test('limits that an agent of an earlier version does not know are not taken for a fault of the request', async () => {
  const { id: sessionId } = await one.createSession();
  const refuse = (pointer: string) =>
    new Problem('invalid-request', { detail: '1 fault', errors: [{ pointer, detail: 'unknown field' }] });
  agent.state.refuse = refuse('/limits');
  const limits = { memoryMb: 64 };
  await expect(start(one, sessionId, { limits })).rejects.toMatchObject({ slug: 'unsupported-by-runtime' });
  agent.state.refuse = refuse('/cwd');
  await expect(start(one, sessionId, { limits })).rejects.toMatchObject({ slug: 'invalid-request' });
  agent.state.refuse = null;
});

test('a start whose answer is cut is followed by the id, and never sent again', async () => {
  const { id: sessionId } = await one.createSession();
  agent.state.cutStart = 'after';
  const { id } = await start(one, sessionId);
  expect(agent.state.starts).toBe(1);
  agent.get(id).end();
  expect(await read(one, sessionId, id, 10)).toMatchObject({ status: 'exited' });
});

test('a start that did not reach the agent is lost, and its id is used up', async () => {
  const { id: sessionId } = await one.createSession();
  agent.state.cutStart = 'before';
  expect(await start(one, sessionId)).toMatchObject({ status: 'lost', cause: { code: 'never_started' } });
  expect(agent.state.starts).toBe(0);
});

test('a start whose replica stops before the answer is followed by another replica', async () => {
  const { id: sessionId } = await one.createSession();
  const stopping = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
  agent.state.cutStart = 'never';
  const refused = expect(start(stopping, sessionId, {}, 'key')).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
  await eventually(() => expect(agent.state.starts).toBe(1));
  await stopping.stop();
  await refused;
  await one.db.sql`update processes set replica_id = 'gone' where session_id = ${sessionId}`;
  await handOverProcesses(other.duties);
  const { id } = await start(other, sessionId, {}, 'key');
  agent.get(id).end({ exitCode: 3 });
  expect(await read(other, sessionId, id, 10)).toMatchObject({ status: 'exited', exitCode: 3 });
  expect(agent.state.starts).toBe(1);
});

test('a reader gets every byte once, from whichever replica it reads on', async () => {
  const { key, process } = await running();
  process.write('stdout', 'abc');
  const first = await follow(other, key, 0, (got) => textOf(got).length >= 3);
  const at = (first.at(-1)?.position ?? 0) - 1;
  process.write('stderr', 'def');
  const second = follow(one, key, at, ended);
  process.write('stdout', 'ghi');
  process.end();
  const rest = await second;
  expect(textOf(rest)).toBe('cdefghi');
  expect(rest.map(({ type }) => type)).toEqual(['stdout', 'stderr', 'stdout', 'finished']);
  expect(textOf(await follow(other, key, 5, ended))).toBe('efghi');
});

test('a reader learns of the recorded end of a process, even if its sandbox is gone without a word', async () => {
  const { id, key, process } = await running();
  process.write('stdout', 'abc');
  const first = Promise.withResolvers<void>();
  const reading = follow(other, key, 0, (got) => {
    first.resolve();
    return ended(got);
  });
  await first.promise;
  await one.db.sql`update processes set status = 'lost', finished_at = now(), replica_id = null where id = ${id}`;
  expect(await reading).toMatchObject([{ type: 'stdout' }, { type: 'finished', row: { status: 'lost' } }]);
});

test('after a replica is gone another one follows its processes, and records their true ends', async () => {
  const { sessionId, id, process } = await running({ timeoutSeconds: 100 });
  process.write('stdout', 'x');
  await one.db.sql`update processes set replica_id = 'gone' where id = ${id}`;
  await handOverProcesses(other.duties);
  expect(await one.db.sql`select replica_id as replica from processes where id = ${id}`).toEqual([
    { replica: other.replicaId },
  ]);
  process.end({ exitCode: 9 });
  await eventually(async () =>
    expect(await read(other, sessionId, id)).toMatchObject({ status: 'exited', exitCode: 9, stdout: 'x' }),
  );
  const ends = await one.db
    .sql`select from audit_entries where operation = 'process.end' and session_id = ${sessionId}`;
  expect(ends).toHaveLength(1);
});

test('a long log is kept by its ends, and the rest is said to be gone once the agent has forgotten it', async () => {
  const { sessionId, id, key, process } = await running();
  for (let line = 0; line < 100; line++) process.write('stdout', `${String(line).padStart(2, '0')}${'x'.repeat(1022)}`);
  process.end();
  const process_ = await read(one, sessionId, id, 10);
  expect(process_.truncated).toBe(true);
  expect(process_.stdout.length).toBe(64 * 1024);
  expect(textOf(await follow(other, key, 0, ended)).length).toBe(100 * 1024);
  process.isForgotten = true;
  const kept = await follow(other, key, 10, ended);
  expect(kept.filter(({ type }) => type === 'truncated')).toMatchObject([{ missing: 36 * 1024 }]);
  expect(textOf(kept)).toBe(process_.stdout.slice(9));
  const output = { ...key, stream: 'stdout' as const, offset: 0, onStart: () => {}, onChunk: () => undefined };
  await expect(other.verbs.readProcessOutput({ ...output, signal: leave.signal })).rejects.toMatchObject({
    slug: 'output-gone',
  });
});

test('raw output begins with the byte that was asked for, from the agent or from the record', async () => {
  const { sessionId, id, key, process } = await running();
  const bytes = Buffer.from([0, 255, 1, 254]);
  process.write('stdout', bytes);
  const output = async () => {
    const parts: Buffer[] = [];
    const onChunk = (chunk: Buffer) => void parts.push(chunk);
    const given = { ...key, stream: 'stdout' as const, offset: 1, onStart: () => {}, signal: leave.signal };
    await other.verbs.readProcessOutput({ ...given, onChunk: onChunk as never });
    return Buffer.concat(parts);
  };
  expect(await output()).toEqual(bytes.subarray(1));
  process.end();
  await read(one, sessionId, id, 10);
  expect(await output()).toEqual(bytes.subarray(1));
});

test('input, signals and sizes reach the process, and signals are audited', async () => {
  const { sessionId, id, key, process } = await running({ stdin: true, terminal: { columns: 80, rows: 24 } });
  const send = (input: object) => other.verbs.sendProcessInput({ ...key, input: { end: false, ...input } });
  expect(await send({ text: 'é' })).toEqual({ bytes: 2, taken: 2, ended: false });
  expect(await send({ base64: '/wA=', end: true })).toEqual({ bytes: 4, taken: 2, ended: true });
  expect(Buffer.concat(process.input)).toEqual(Buffer.from([0xc3, 0xa9, 255, 0]));
  await other.verbs.signalProcess({ ...key, request: { signal: 'SIGUSR1', actor: 'user' } });
  await other.verbs.resizeTerminal({ ...key, size: { columns: 100, rows: 30 } });
  expect([process.signals, process.sizes]).toEqual([['SIGUSR1'], [{ columns: 100, rows: 30 }]]);
  const entries = await one.db.sql`
    select actor, arguments from audit_entries where operation = 'process.signal' and session_id = ${sessionId}`;
  expect(entries).toEqual([{ actor: 'user', arguments: { processId: id, signal: 'SIGUSR1' } }]);
  for (const replica of [one, other]) {
    expect(await read(replica, sessionId, id)).toMatchObject({ terminal: { columns: 100, rows: 30 } });
    // A replica that does not follow the process learns its pid from the row, a moment after the start.
    await eventually(async () => {
      const { items } = await replica.verbs.listProcesses({ caller, sessionId, limit: 10 });
      expect(items).toMatchObject([{ terminal: { columns: 100, rows: 30 }, pid: expect.any(Number) }]);
    });
  }
  await one.verbs.resizeTerminal({ ...key, size: { columns: 90, rows: 20 } });
  process.end();
  expect(await read(one, sessionId, id, 10)).toMatchObject({
    finishedAt: expect.any(String),
    terminal: { columns: 90 },
  });
  expect(await read(other, sessionId, id)).toMatchObject({ terminal: { columns: 90, rows: 20 } });
  await expect(other.verbs.signalProcess({ ...key, request: { signal: 'SIGTERM' } })).rejects.toMatchObject({
    slug: 'process-ended',
  });
});

test('the whole input and the limits of a process go to its agent with its start, which no replica has to survive', async () => {
  const { process } = await running({ stdin: 'all of it', limits: { memoryMb: 64 } });
  expect(process.request).toMatchObject({ stdin: 'all of it', limits: { memoryMb: 64 } });
});

test('a session runs so many processes at a time on all replicas together, and refuses others by name', async () => {
  const { id: sessionId } = await one.createSession();
  const starts = Array.from({ length: 2 * processesMax }, (_, at) => start(at % 2 ? one : other, sessionId));
  const answers = await Promise.allSettled(starts);
  const started = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.id] : []));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.slug] : []));
  expect(refused).toEqual(Array(processesMax).fill('quota-exceeded'));
  expect(agent.state.starts).toBe(processesMax);
  const [first = ''] = started;
  agent.get(first).end();
  await read(one, sessionId, first, 10);
  expect(await start(other, sessionId)).toMatchObject({ status: 'running' });
  await expect(start(one, sessionId)).rejects.toMatchObject({
    slug: 'quota-exceeded',
    options: { detail: `${processesMax} processes of the session run already` },
  });
});

test('a list has the processes without their output', async () => {
  const { sessionId, id, process } = await running();
  process.write('stdout', 'long');
  process.end();
  const { stdout, stderr, truncated, ...listed } = await read(one, sessionId, id, 10);
  expect(stdout).toBe('long');
  expect(await other.verbs.listProcesses({ caller, sessionId, limit: 10 })).toEqual({
    items: [listed],
    nextCursor: null,
  });
});

test('a policy that allows no shell commands forbids processes, and says so in the audit log', async () => {
  const { id: sessionId } = await one.createSession({ policy: { execution: { allowShellCommands: false } } });
  await expect(start(one, sessionId)).rejects.toMatchObject({ slug: 'policy-denied' });
  expect(agent.state.starts).toBe(0);
  const entries = await one.db.sql`
    select decision, rule from audit_entries where operation = 'process.start' and session_id = ${sessionId}`;
  expect(entries).toEqual([{ decision: 'denied', rule: 'execution.allowShellCommands' }]);
});

test('a budget without an iteration left refuses a process', async () => {
  const { id: sessionId } = await one.createSession({ budget: { iterations: 1 } });
  await start(one, sessionId);
  await expect(start(one, sessionId)).rejects.toMatchObject({ slug: 'budget-exceeded' });
});

test('a process is stopped when the time of its budget is over', async () => {
  agent.state.onStart = (process) => endWhenKilled(process);
  const { sessionId, id, process } = await running({}, { budget: { timeSeconds: 0.5 } });
  expect(await read(one, sessionId, id, 20)).toMatchObject({ status: 'timed_out', cause: { code: 'budget' } });
  expect(process.signals).toContain('SIGKILL');
});

test('a process whose budget is over is stopped again until it has ended', async () => {
  agent.state.onStart = (process) => endWhenKilled(process, 3);
  const { sessionId, id, process } = await running({}, { budget: { timeSeconds: 0.5 } });
  expect(await read(one, sessionId, id, 30)).toMatchObject({ status: 'timed_out', cause: { code: 'budget' } });
  expect([...process.signals]).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
});

/** `times`: so many signals are needed. */
function endWhenKilled(process: ScriptedProcess, times = 1): void {
  const signals = process.signals as string[];
  signals.push = (signal: string) => {
    const count = Array.prototype.push.call(signals, signal);
    if (count === times) process.end({ status: 'signalled', exitCode: null, signal });
    return count;
  };
}

test.for([
  ['its timeout', { timeoutSeconds: 0.2 }, {}],
  ['the time of its budget', {}, { budget: { timeSeconds: 0.5 } }],
] as const)('a sandbox that does not end a process after %s is taken from its session', async ([, body, session]) => {
  const env = { HOLDFAST_STEP_GRACE_SECONDS: '1' };
  const impatient = await startReplica({ address: database.address, runtime: cluster.runtime([]), env });
  const { id: sessionId } = await impatient.createSession({ ...session });
  const { id } = await start(impatient, sessionId, body);
  expect(await read(impatient, sessionId, id, 30)).toMatchObject({ status: 'lost', cause: { code: 'overran' } });
  expect(agent.get(id).signals).toContain('SIGKILL');
  await eventually(async () =>
    expect(await one.verbs.getSession({ caller, id: sessionId })).toMatchObject({
      status: 'failed',
      endReason: 'process_overran',
    }),
  );
  await impatient.stop();
});

const sandboxOf = (sessionId: string) =>
  cluster.living().find(({ agent: { sessions } }) => sessions.has(sessionId))?.sandbox.name ?? '';

test.each<[string, string, string, (sessionId: string) => Promise<unknown>]>([
  ['completes', 'off', 'session_ended', (id) => one.verbs.endSession({ caller, id, to: 'completed' })],
  ['loses its sandbox', 'off', 'sandbox_lost', (id) => cluster.crash(sandboxOf(id), { hinted: true })],
  ['gets another sandbox', 'auto', 'sandbox_lost', (id) => cluster.crash(sandboxOf(id), { hinted: true })],
])('a process is lost with its sandbox when its session %s', async (_what, recovery, code, change) => {
  const { sessionId, id, key, process } = await running({}, { recovery, budget: { timeSeconds: 100 } });
  process.write('stdout', 'seen');
  const reading = follow(other, key, 0, ended);
  await change(sessionId);
  await eventually(async () => {
    const [row] = await one.db.sql`select status, cause, replica_id as replica from processes where id = ${id}`;
    expect(row).toMatchObject({ status: 'lost', cause: { code }, replica: null });
  });
  expect((await reading).at(-1)).toMatchObject({ type: 'finished', row: { status: 'lost' } });
  const [budget] = await one.db.sql`
    select time_reserved_ms as reserved from budgets where id = (select budget_of from sessions where id = ${sessionId})`;
  expect(budget).toEqual({ reserved: 0 });
  await one.verbs.endSession({ caller, id: sessionId, to: 'completed' }).catch(() => {});
});

test('an agent that breaks the protocol loses its process, and only that', async () => {
  const { sessionId, id } = await running();
  agent.get(id).end({ exitCode: 70_000 });
  expect(await read(one, sessionId, id, 10)).toMatchObject({ status: 'lost', cause: { code: 'result_refused' } });
  expect(await one.verbs.getSession({ caller, id: sessionId })).toMatchObject({ status: 'active' });
});
