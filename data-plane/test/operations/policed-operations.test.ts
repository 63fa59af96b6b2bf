import type { AuditEntry } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostOf, openStage, type Replica, type Stage, waitsFor } from './stage.ts';

let stage: Stage;
let here: Replica;
let there: Replica;
/** One whose calls do not wait for long. */
let hasty: Replica;

beforeAll(async () => {
  stage = await openStage();
  [here, there, hasty] = await Promise.all([
    stage.start(),
    stage.start(),
    stage.start({ HOLDFAST_OPERATION_TIMEOUT_SECONDS: '10' }),
  ]);
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose](), 60_000);

const audit = async (sessionId: string, operation: string): Promise<AuditEntry[]> =>
  (await here.request('GET', `/v1/sessions/${sessionId}/audit?operation=${operation}`)).body.items;
const change = async (replica: Replica, sessionId: string, policy: object) => {
  const { status } = await replica.request('PATCH', `/v1/sessions/${sessionId}`, { policy });
  expect(status).toBe(200);
};

/** Python code that prints the rule that forbids a call, or what it returned. */
const tried = (...calls: string[]) =>
  calls
    .map(
      (call) =>
        `try: print(holdfast.call(${call}))\nexcept holdfast.PolicyViolation as e: print(isinstance(e, PermissionError), e.rule)`,
    )
    .join('\n');

describe.each([
  ['python', tried('"jira.create", "a"'), 'True deniedOperations: jira.*\n'],
  [
    'node',
    'try { await holdfast.call("jira.create", "a") } catch (e) { console.log(e.name, e.rule) }',
    'PolicyViolation deniedOperations: jira.*\n',
  ],
  ['bash', 'holdfast call jira.create \'"a"\' 2>/dev/null; echo $?', '3\n'],
])('in %s', (language, code, stdout) => {
  test('an operation that the policy denies is a violation in the code, is audited, and never reaches the host', async () => {
    const { id } = await here.createSession({ policy: { deniedOperations: ['jira.*'] } });
    const step = await here.runStep(id, { code, language });
    expect(step).toMatchObject({ status: 'succeeded', stdout });
    expect(await hostOf(here, id).pending()).toEqual([]);
    const [operation] = await hostOf(here, id).all();
    expect(operation).toMatchObject({ name: 'jira.create', status: 'denied' });
    expect(await hostOf(here, id).answer(operation?.id ?? '', { value: 1 })).toMatchObject({ status: 409 });
    const entries = await audit(id, 'jira.create');
    expect(entries).toMatchObject([
      {
        decision: 'denied',
        rule: 'deniedOperations: jira.*',
        stepId: step.id,
        arguments: { arguments: ['a'] },
        turn: 1,
      },
    ]);
    const { body } = await here.request('GET', `/v1/sessions/${id}/audit?turn=1`);
    expect(body.items.map((entry: AuditEntry) => entry.operation)).toEqual(['step.run', 'jira.create']);
  });
});

test.each([
  ['python', 'holdfast.call("jira.create")'],
  ['python', 'holdfast.call("world.read", "hidden.txt")'],
  ['python', 'import os; os.fork()'],
  ['node', 'await holdfast.call("jira.create")'],
  ['node', 'require("child_process").execSync("true")'],
])('in %s, a step that fails by a rule has the outcome of a violation: %s', async (language, code) => {
  const rules = { world: { readPatterns: ['*.py'] }, execution: { allowShellCommands: false } };
  const { id } = await here.createSession({ policy: { deniedOperations: ['jira.*'], ...rules } });
  const step = await here.runStep(id, { code, language });
  const outcome = { tag: 'error', kind: 'policy-violation', stateSurvived: true };
  expect(step).toMatchObject({ status: 'failed', error: { name: 'PolicyViolation' }, outcome });
  expect(await there.history(id)).toMatchObject([{ outcome }]);
});

test('in bash, a command that fails by a rule is told from one that fails with the same status', async () => {
  const { id } = await here.createSession({ policy: { deniedOperations: ['jira.*'] } });
  const kindOf = async (code: string) => (await here.runStep(id, { code, language: 'bash' })).outcome;
  const violation = { kind: 'policy-violation' };
  expect(await kindOf('holdfast call jira.create')).toMatchObject(violation);
  expect(await kindOf('holdfast call jira.create || exit $?')).toMatchObject(violation);
  expect(await kindOf('holdfast call jira.create; false')).toMatchObject({ kind: 'runtime-error' });
  expect(await kindOf('(exit 3)')).toMatchObject({ kind: 'runtime-error' });
});

test('the policy also decides about operations that the data-plane answers itself', async () => {
  const policy = {
    allowedOperations: ['world.*', 'memo.get', 'eval', 'session.*', 'llm.*'],
    world: { readPatterns: ['src/**'], writePatterns: ['src/a.txt'] },
    llm: { maxTokensPerCall: 10 },
    execution: { allowSubeval: false },
  };
  const { id } = await here.createSession();
  await here.runStep(id, {
    code: 'import os; os.mkdir("src"); open("src/b", "w").write("b"); open("c", "w").write("c")',
  });
  await change(here, id, policy);
  const calls = tried(
    '"memo.put", "a", 1',
    '"memo.get", "a"',
    '"world.read", "src/b"',
    '"world.read", "c"',
    '"world.write", "src/b", "x"',
    '"world.write", "src/../c", "x"',
    '"llm.complete", "Hi", {"maxTokens": 11}',
    '"eval", {"code": "1", "language": "node"}',
    '"fixpoint", {"code": "1", "language": "node"}',
    '"facts.query"',
    '"session.allowed", "memo.put"',
    '"session.read_only"',
  );
  const shown = 'print([f["path"] for f in holdfast.call("world.list")], holdfast.call("world.search", "c"))';
  const { stdout, error } = await here.runStep(id, { code: `${calls}\n${shown}` });
  expect(error).toBe(null);
  expect(stdout.split('\n')).toEqual([
    'True allowedOperations',
    'None',
    'b',
    'True world.readPatterns',
    'True world.writePatterns',
    'True world.writePatterns',
    'True llm.maxTokensPerCall',
    'True execution.allowSubeval',
    'True allowedOperations',
    'True allowedOperations',
    'False',
    'False',
    "['src/b'] {'matches': [], 'isCut': False}",
    '',
  ]);
  expect(await audit(id, 'world.write')).toMatchObject([{ decision: 'denied' }, { decision: 'denied' }]);
});

test('a policy that another replica tightens counts for the next call of a step that runs', async () => {
  const { id } = await here.createSession();
  const code = `holdfast.call("go")\n${tried('"llm.complete"', '"memo.put", "a", 1')}`;
  const step = await here.runStep(id, { code });
  await change(there, id, { deniedOperations: ['llm.*', 'memo.*'] });
  const { id: operationId } = await waitsFor(there, id, 'go');
  expect((await hostOf(there, id).answer(operationId, { value: null })).status).toBe(200);
  const { stdout } = await hostOf(here, id).ended(step.id);
  expect(stdout).toBe('True deniedOperations: llm.*\nTrue deniedOperations: memo.*\n');
});

test('each answer, each wait that ended and each change is in the audit log, once', { timeout: 60_000 }, async () => {
  const { id } = await here.createSession();
  const code = `
holdfast.call("memo.put", "plan", "secret text")
holdfast.call("facts.assert", "a", "b", 1); holdfast.call("facts.assert", "a", "b", 1)
holdfast.call("answered", "now", {"apiKey": "hidden", "n": 1})
try: holdfast.call("late", "x" * 5000)
except holdfast.OperationError: pass`;
  const step = await hasty.runStep(id, { code });
  const { id: operationId } = await waitsFor(there, id, 'answered');
  await Promise.all([here, there, here].map((replica) => hostOf(replica, id).answer(operationId, { value: 1 })));
  await hostOf(here, id).ended(step.id);
  const of = { decision: 'allowed', actor: 'agent', stepId: step.id };
  expect(await audit(id, 'memo.put')).toMatchObject([{ ...of, arguments: { key: 'plan' } }]);
  expect(await audit(id, 'facts.assert')).toMatchObject([of, of]);
  expect(await audit(id, 'answered')).toMatchObject([{ ...of, turn: step.number, durationMs: expect.any(Number) }]);
  const [answered, late] = await Promise.all(['answered', 'late'].map((name) => audit(id, name)));
  expect(answered?.[0]?.arguments).toEqual({
    operationId,
    status: 'succeeded',
    arguments: ['now', { apiKey: '[redacted]', n: 1 }],
  });
  expect(late?.[0]?.arguments).toMatchObject({ status: 'timed_out', arguments: [`${'x'.repeat(256)}…`] });
  expect(await audit(id, 'late')).toMatchObject([{ ...of, arguments: { status: 'timed_out' } }]);
  const log = await here.runStep(id, { code: 'print(len(holdfast.session.audit_log()["items"]) > 4)' });
  expect(log.stdout).toBe('True\n');
});

test('a call that reads has an entry once the code has the value, also if it fails, and one that waits when its step ends', async () => {
  const { id } = await here.createSession();
  const code = `
holdfast.call("world.list"); holdfast.call("memo.get", "plan")
try: holdfast.call("world.read", "missing")
except holdfast.OperationError: pass
holdfast.call("eval", {"code": "'hidden'", "language": "node"})
try: holdfast.call("memo.put")
except holdfast.OperationError: pass
try: holdfast.call("world.read")
except holdfast.OperationError: pass
holdfast.call("stays", {"apiKey": "hidden", "n": 1})`;
  const step = await here.runStep(id, { code });
  const entry = (operation: string, args: unknown[]) => ({
    operation,
    arguments: { arguments: args },
    decision: 'allowed',
    actor: 'agent',
    stepId: step.id,
    turn: step.number,
    durationMs: expect.any(Number),
  });
  const { items } = (await there.request('GET', `/v1/sessions/${id}/audit?turn=${step.number}`)).body;
  expect(items.filter((item: AuditEntry) => item.operation !== 'step.run')).toMatchObject([
    entry('world.list', []),
    entry('memo.get', ['plan']),
    entry('world.read', ['missing']),
    entry('eval', [{ language: 'node' }]),
    entry('memo.put', []),
    entry('world.read', []),
  ]);
  await waitsFor(here, id, 'stays');
  expect(await audit(id, 'stays')).toEqual([]);
  await here.request('POST', `/v1/sessions/${id}/steps/${step.id}/interrupt`);
  await hostOf(here, id).ended(step.id);
  expect(await audit(id, 'stays')).toMatchObject([
    {
      decision: 'allowed',
      stepId: step.id,
      arguments: { status: 'ended', arguments: [{ apiKey: '[redacted]', n: 1 }] },
    },
  ]);
});

test('an operation without its path is called wrongly and not forbidden', async () => {
  const { id } = await here.createSession({
    policy: { world: { readPatterns: ['src/**'], writePatterns: ['src/**'] } },
  });
  const calls = ['"world.read"', '"world.read", 7', '"world.write"'].map(
    (call) => `try: holdfast.call(${call})\nexcept Exception as e: print(type(e).__name__, e.name)`,
  );
  const { stdout } = await here.runStep(id, { code: calls.join('\n') });
  expect(stdout).toBe('OperationError InvalidArguments\n'.repeat(3));
  await change(here, id, { deniedOperations: ['world.read'] });
  const { stdout: denied } = await here.runStep(id, { code: tried('"world.read"') });
  expect(denied).toBe('True deniedOperations: world.read\n');
});

test('the tokens and the cost of an answer are charged once, and shown in the step, the budget and the audit log', async () => {
  const { id } = await here.createSession({ budget: { tokens: 100, cost: '1.5' } });
  const step = await here.runStep(id, {
    code: 'holdfast.call("llm.complete")\nprint(holdfast.session.budget_remaining("tokens"), holdfast.session.budget_remaining("iterations"))',
  });
  const { id: operationId } = await waitsFor(here, id, 'llm.complete');
  const result = { value: 'text', usage: { tokens: 30, cost: '0.1' } };
  const answers = await Promise.all([here, there].map((replica) => hostOf(replica, id).answer(operationId, result)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const spendsMore = { ...result, usage: { tokens: 31 } };
  expect((await hostOf(here, id).answer(operationId, spendsMore)).status).toBe(409);
  const ended = await hostOf(there, id).ended(step.id);
  expect(ended).toMatchObject({ stdout: '70 None\n', tokensUsed: 30, budgetRemaining: { tokens: 70, cost: '1.4' } });
  const session = (await here.request('GET', `/v1/sessions/${id}`)).body;
  expect(session.budget.used).toMatchObject({ tokens: 30, cost: '0.1' });
  expect(await audit(id, 'llm.complete')).toMatchObject([{ tokens: 30, cost: '0.1' }]);
});

test('the audit log has no code, no variables and nothing to be stored from calls that the policy denies', async () => {
  const { id } = await here.createSession({
    policy: { deniedOperations: ['memo.*', 'facts.*', 'world.write'], execution: { allowSubeval: false } },
  });
  await here.runStep(id, {
    code: tried(
      '"eval", {"code": "hidden", "language": "node", "env": {"A": "hidden"}}',
      '"fixpoint", {"code": "hidden", "env": {"A": "hidden"}}, "hidden"',
      '"memo.put", "name", "hidden"',
      '"facts.assert", "subject", "is", "hidden"',
      '"world.write", "a.env", "A=hidden"',
    ),
  });
  const { items } = (await here.request('GET', `/v1/sessions/${id}/audit`)).body as { items: AuditEntry[] };
  expect(items.filter(({ decision }) => decision === 'denied').map(({ arguments: given }) => given)).toEqual([
    { arguments: [{ language: 'node' }] },
    { arguments: [{}] },
    { arguments: ['name'] },
    { arguments: ['subject', 'is'] },
    { arguments: ['a.env'] },
  ]);
});

test('an answer that exceeds the budget reaches the code, and the next step is refused', async () => {
  const { id } = await here.createSession({ budget: { tokens: 10 } });
  const step = await here.runStep(id, { code: 'holdfast.call("llm.complete")' });
  const { id: operationId } = await waitsFor(here, id, 'llm.complete');
  await hostOf(there, id).answer(operationId, { error: { message: 'no' }, usage: { tokens: 11 } });
  const end = await hostOf(here, id).ended(step.id);
  expect(end).toMatchObject({ status: 'failed', error: { message: 'no' }, tokensUsed: 11 });
  const refused = await here.request('POST', `/v1/sessions/${id}/steps`, { code: '1' });
  expect(refused).toMatchObject({ status: 429, body: { code: 'budget-exceeded' } });
});

test('the steps that a step runs are under its budget', async () => {
  const { id } = await here.createSession({ budget: { iterations: 3 } });
  const step = await here.runStep(id, {
    code: `
for n in range(3):
    try: print(holdfast.call("eval", {"code": "1", "language": "node"})["status"])
    except holdfast.OperationError as e: print(e.name)`,
  });
  expect(step.stdout).toBe('succeeded\nsucceeded\nbudget-exceeded\n');
});

test('in proposal mode a file that code writes waits for the host, and code can take its open proposals back', async () => {
  const { id } = await here.createSession({ policy: { world: { proposalMode: true } } });
  const { stdout } = await here.runStep(id, {
    code: `
print(holdfast.call("world.write", "a.txt", "a")["proposalId"] is not None, open("a.txt").read())
print(len(holdfast.session.proposals), holdfast.session.proposal_mode, holdfast.call("world.list"))`,
  });
  expect(stdout).toBe('True a\n1 True []\n');
  const after = await here.runStep(id, {
    code: `
import os
print(holdfast.session.rollback_proposals(), holdfast.session.proposals, os.path.exists("a.txt"))`,
  });
  expect(after.stdout).toBe('1 [] False\n');
  expect(await audit(id, 'session.rollback_proposals')).toMatchObject([{ decision: 'allowed', stepId: after.id }]);
});

const commits = {
  python: 'print(holdfast.session.commit_proposals())',
  node: 'console.log(await holdfast.session.commitProposals())',
  bash: 'holdfast session commit_proposals',
};

test.each(Object.entries(commits))(
  'code in %s commits what the host has approved in advance',
  async (language, code) => {
    const policy = { world: { proposalMode: true } };
    const { id } = await here.createSession({ policy });
    // There is nothing to ask the host about.
    expect(await here.runStep(id, { code, language })).toMatchObject({ status: 'succeeded', stdout: '0\n' });
    await here.runStep(id, { code: 'open("a.txt", "w").write("a")' });
    await here.runStep(id, { code: 'open("a.txt", "a").write("b")' });
    await change(here, id, { world: { codeMayCommit: true } });
    expect(await here.runStep(id, { code, language })).toMatchObject({ status: 'succeeded', stdout: '2\n' });
    const { body } = await here.request('GET', `/v1/sessions/${id}/proposals`);
    expect(body.items).toMatchObject([1, 2].map(() => ({ status: 'committed', decidedBy: 'code' })));
    const read = await here.runStep(id, { code: 'print(holdfast.call("world.read", "a.txt"))' });
    expect(read.stdout).toBe('ab\n');
    expect(await audit(id, 'proposal.commit')).toMatchObject(
      [1, 2].map(() => ({ actor: 'agent', arguments: { count: 1 } })),
    );
  },
);

test.each(Object.entries(commits))('code in %s asks the host to commit its proposals', async (language, code) => {
  const { id } = await here.createSession({ policy: { world: { proposalMode: true } } });
  await here.runStep(id, { code: 'open("a.txt", "w").write("a")' });
  const step = await here.runStep(id, { code, language });
  const { id: operationId } = await waitsFor(there, id, 'proposals.commit');
  await hostOf(there, id).answer(operationId, { value: 'later' });
  expect((await hostOf(here, id).ended(step.id)).stdout).toMatch(/^"?later"?\n$/);
  expect((await here.request('GET', `/v1/sessions/${id}/proposals?status=open`)).body.items).toHaveLength(1);
});

/** From the first key on, every request needs one, so the first can make others. */
test('only a key with the scope host sees and answers operations', async () => {
  const { id } = await here.createSession();
  const asked = { tenant: 'default', name: 'agent', scopes: ['run'] };
  const refused = await here.request('POST', '/v1/api-keys', asked);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/scopes' }] } });
  const first = await here.request('POST', '/v1/api-keys', { ...asked, scopes: ['admin'] });
  const asFirst = { authorization: `Bearer ${first.body.key}` };
  const key = await here.request('POST', '/v1/api-keys', asked, asFirst);
  const headers = { authorization: `Bearer ${key.body.key}` };
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['POST', `/op_${'0'.repeat(26)}/result`, { value: 1 }],
  ] as const) {
    const answer = await here.request(method, `/v1/sessions/${id}/operations${path}`, body, headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
});
