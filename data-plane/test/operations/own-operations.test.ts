import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/registry/connect.ts';
import { eventually } from '../support/eventually.ts';
import { endOf, hostOf, openStage, type Replica, readAnswering, type Stage, waitsFor } from './stage.ts';

let stage: Stage;
let here: Replica;
let there: Replica;
let sessionId: string;

beforeAll(async () => {
  stage = await openStage();
  [here, there] = await Promise.all([stage.start(), stage.start()]);
  sessionId = (await here.createSession()).id;
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose](), 60_000);

function connected() {
  const db = connectDatabase({ url: stage.database.url, poolMax: 1 });
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.close() });
}

/** Runs Python code, and returns what it printed as JSON. */
async function printed(code: string, id = sessionId): Promise<unknown[]> {
  const step: Step = await here.runStep(id, {
    code: `import json\ndef show(value): print(json.dumps(value))\n${code}`,
  });
  if (step.status !== 'succeeded') throw new Error(`${step.status}: ${step.error?.message}`);
  return step.stdout
    .split('\n')
    .filter((line) => line)
    .map((line) => JSON.parse(line));
}

const failure = (call: string) => `
try: show(holdfast.call(${call}))
except holdfast.OperationError as e: show([e.name, e.message])`;

test('reads, lists, searches and fingerprints the approved files', async () => {
  const { id } = await here.createSession();
  await printed('import os; os.makedirs("src"); open("src/a.py", "w").write("one\\ntwo é\\nthree two two\\n")', id);
  await printed('open("b.bin", "wb").write(bytes([255, 0])); os.chmod("src/a.py", 0o755)', id);
  const [text, binary, list, within, found, ofOther, print] = await printed(
    `show(holdfast.call("world.read", "src/a.py"))
show(holdfast.call("world.read", "b.bin", "base64"))
show(holdfast.call("world.list"))
show(holdfast.call("world.list", "src"))
show(holdfast.call("world.search", "two"))
show(holdfast.call("world.search", "two", "b.bin"))
show(holdfast.call("world.fingerprint"))`,
    id,
  );
  expect([text, binary]).toEqual(['one\ntwo é\nthree two two\n', '/wA=']);
  expect(list).toMatchObject([
    { path: 'b.bin', size: 2, executable: false },
    { path: 'src/a.py', size: 25, executable: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(within).toMatchObject([{ path: 'src/a.py' }]);
  expect(found).toEqual({
    matches: [
      { path: 'src/a.py', line: 2, text: 'two é' },
      { path: 'src/a.py', line: 3, text: 'three two two' },
    ],
    isCut: false,
  });
  expect(ofOther).toEqual({ matches: [], isCut: false });
  const [same] = await printed('show(holdfast.call("world.fingerprint"))', id);
  await printed('open("src/a.py", "a").write("more")', id);
  const [other] = await printed('show(holdfast.call("world.fingerprint"))', id);
  expect([same === print, other === print]).toEqual([true, false]);
});

test('writes a file to the world and to the working copy', async () => {
  const { id } = await here.createSession();
  const [read, copy] = await printed(
    `holdfast.call("world.write", "new/a.txt", "é")
holdfast.call("world.write", "b.bin", "/wA=", "base64")
show(holdfast.call("world.read", "new/a.txt"))
show(open("new/a.txt").read() + str(list(open("b.bin", "rb").read())))`,
    id,
  );
  expect([read, copy]).toEqual(['é', 'é[255, 0]']);
});

test('says why a file cannot be read or written', async () => {
  const answers = await printed(
    [
      '"world.read", "missing"',
      '"world.read", "../etc/passwd"',
      '"world.write", "/etc/passwd", "x"',
      '"world.read"',
      '"world.nothing"',
    ]
      .map(failure)
      .join('\n'),
  );
  expect(answers.map((answer) => (answer as string[])[0])).toEqual([
    'not-found',
    'InvalidArguments',
    'InvalidArguments',
    'InvalidArguments',
    'OperationError',
  ]);
  await printed('open("latin.txt", "wb").write(bytes([233]))');
  expect(await printed(failure('"world.read", "latin.txt"'))).toMatchObject([['not-text', expect.any(String)]]);
});

test('memos stay from step to step, in all contexts, up to their limits', async () => {
  await printed('holdfast.call("memo.put", "plan", {"steps": [1, None, "é\\u0000"]})');
  const { stdout } = await here.runStep(sessionId, {
    code: 'console.log(JSON.stringify([await holdfast.call("memo.get", "plan"), await holdfast.call("memo.get", "none"), await holdfast.call("memo.get", "none", 7)]))',
    language: 'node',
  });
  expect(JSON.parse(stdout)).toEqual([{ steps: [1, null, 'é\0'] }, null, 7]);
  const large = await printed(
    `text = "x" * 900_000
for n in range(6):
    try: show(holdfast.call("memo.put", f"large-{n}", text))
    except holdfast.OperationError as e: show(e.name)
holdfast.call("memo.put", "large-0", "short"); show(holdfast.call("memo.put", "large-5", text))`,
  );
  expect(large).toEqual([null, null, null, null, 'quota-exceeded', 'quota-exceeded', null]);
});

/** Each call that a language may write with numbers that JavaScript would change, as code that prints the error's name. */
const inexact = {
  python: ['2**53', '-(2**53)', '10**400', 'float("nan")', 'float("inf")', '{"deep": [2**64]}'].map(
    (value) =>
      `try: print(holdfast.call("memo.put", "n", ${value}))\nexcept holdfast.OperationError as e: print(e.name)`,
  ),
  node: ['2 ** 53', 'NaN', '-Infinity', '{ deep: [2n ** 64n] }'].map(
    (value) => `await holdfast.call("memo.put", "n", ${value}).then(console.log, (e) => console.log(e.name));`,
  ),
  bash: ['9007199254740993', '1e400', '{"deep":\n[18446744073709551616]}'].map(
    (value) => `holdfast call memo.put '"n"' '${value}' 2>&1 | grep -o InvalidArguments`,
  ),
};

test.each(Object.entries(inexact))(
  'a number in %s that would be changed is refused by name',
  async (language, code) => {
    const step = await here.runStep(sessionId, { code: code.join('\n'), language });
    expect(step).toMatchObject({ status: 'succeeded', stdout: 'InvalidArguments\n'.repeat(code.length) });
  },
);

test('integers up to 2^53 - 1 stay exact in memos, facts and the calls and answers of the host, in every language', async () => {
  const exact = { most: 2 ** 53 - 1, least: 1 - 2 ** 53, fraction: 0.1 };
  const { id } = await here.createSession();
  const calls = {
    python: `value = {"most": 2**53 - 1, "least": 1 - 2**53, "fraction": 0.1}
holdfast.call("memo.put", "n", value); holdfast.call("facts.assert", "n", "is", value)
assert holdfast.call("memo.get", "n") == value == holdfast.call("facts.query", {"object": value})[0]["object"]
assert holdfast.call("ask", value) == value`,
    node: `const value = { most: 9007199254740991n, least: 1 - 2 ** 53, fraction: 0.1 };
if (JSON.stringify(await holdfast.call("memo.get", "n")) !== JSON.stringify(await holdfast.call("ask", value))) throw new Error();`,
    bash: `[ "$(holdfast call ask "$(holdfast call memo.get '"n"')")" = "$(holdfast call memo.get '"n"')" ]`,
  };
  for (const [language, code] of Object.entries(calls)) {
    const step = await here.runStep(id, { code, language });
    const asked = await waitsFor(there, id, 'ask');
    expect(asked.arguments).toEqual([exact]);
    await hostOf(there, id).answer(asked.id, { value: asked.arguments[0] });
    expect(await hostOf(here, id).ended(step.id)).toMatchObject({ status: 'succeeded', error: null });
  }
});

test('an answer with a number that would be changed is refused, and the operation still waits', async () => {
  const step = await here.runStep(sessionId, { code: 'print(holdfast.call("exact"))' });
  const { id } = await waitsFor(here, sessionId, 'exact');
  for (const number of ['9007199254740993', '1e400']) {
    const response = await fetch(`${here.url}/v1/sessions/${sessionId}/operations/${id}/result`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"value": ["9007199254740993", ${number}]}`,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid-request' }]);
  }
  await hostOf(here, sessionId).answer(id, { value: '9007199254740993' });
  expect((await hostOf(here, sessionId).ended(step.id)).stdout).toBe('9007199254740993\n');
});

test('memos that are put at the same time do not exceed their number', async () => {
  const { id } = await here.createSession();
  await using db = connected();
  await db.sql`
    insert into memos (session_id, key, value) select ${id}, 'k' || n, '1' from generate_series(1, 995) n`;
  const results = await printed(
    `from concurrent.futures import ThreadPoolExecutor
def put(n):
    try: holdfast.call("memo.put", f"new-{n}", n); return True
    except holdfast.OperationError: return False
with ThreadPoolExecutor(20) as pool: show(sum(pool.map(put, range(20))))`,
    id,
  );
  expect(results).toEqual([5]);
});

test('facts are asserted once, and found by each of their parts', async () => {
  const { id } = await here.createSession();
  const [first, again, all, bySubject, byObject, none] = await printed(
    `show(holdfast.call("facts.assert", "a.py", "imports", "b.py"))
show(holdfast.call("facts.assert", "a.py", "imports", "b.py"))
holdfast.call("facts.assert", "b.py", "imports", {"name": "c.py"}); holdfast.call("facts.assert", "b.py", "lines", 7)
show(holdfast.call("facts.query"))
show(holdfast.call("facts.query", {"subject": "a.py"}))
show(holdfast.call("facts.query", {"predicate": "lines", "object": 7}))
show(holdfast.call("facts.query", {"predicate": "lines", "object": "7"}))`,
    id,
  );
  const facts = [
    { subject: 'a.py', predicate: 'imports', object: 'b.py' },
    { subject: 'b.py', predicate: 'imports', object: { name: 'c.py' } },
    { subject: 'b.py', predicate: 'lines', object: 7 },
  ];
  expect([first, again]).toEqual([true, false]);
  expect([all, bySubject, byObject, none]).toEqual([facts, [facts[0]], [facts[2]], []]);
});

test('code runs a step in another context, which is in the history under its own id with its parent', async () => {
  const [sub, failed] = await printed(`
show(holdfast.call("eval", {"code": "console.log(1); globalThis.x = 41; x + 1", "language": "node"}))
show(holdfast.call("eval", {"code": "throw new TypeError('no')", "language": "node"}))`);
  expect(sub).toMatchObject({
    status: 'succeeded',
    stdout: '1\n',
    results: [{ data: { 'text/plain': '42' } }],
    error: null,
  });
  expect(failed).toMatchObject({ status: 'failed', error: { name: 'TypeError', message: 'no' } });
  const { stepId } = sub as { stepId: string };
  const step: Step = (await there.request('GET', `/v1/sessions/${sessionId}/steps/${stepId}`)).body;
  expect(step).toMatchObject({ id: stepId, contextId: 'node', status: 'succeeded' });
  const history = await here.history(sessionId);
  const parent = history.find(({ id }) => id === step.parentStepId);
  expect(parent?.code).toContain('holdfast.call("eval"');
});

test('a step that a step runs asks the host, and both are answered early until the host has answered', async () => {
  const code =
    'holdfast.call("eval", {"code": "console.log(await holdfast.call(\\"inner\\", 1))", "language": "node"})["stdout"]';
  const step = await here.runStep(sessionId, { code });
  const operation = await waitsFor(there, sessionId, 'inner');
  expect(step).toMatchObject({
    status: 'running',
    outcome: { tag: 'needs', what: 'operation', operationId: operation.id, stepId: operation.stepId, name: 'inner' },
  });
  expect(operation.stepId).not.toBe(step.id);
  expect((await hostOf(there, sessionId).step(step.id, 0)).outcome).toEqual(step.outcome);
  await hostOf(there, sessionId).answer(operation.id, { value: 'from the host' });
  const ended = await hostOf(here, sessionId).ended(step.id);
  expect(ended.results[0]?.data['text/plain']).toBe("'from the host\\n'");
});

/** Longer than a test may take: a client that is told only at the end of its wait fails it. */
const waitSecondsMax = 60;

test('a client that waits on another replica is told of what a step below needs, each time', async () => {
  const inner = 'for (const n of [1, 2]) console.log(await holdfast.call("below-" + n))';
  const stream = here.streamStep(sessionId, {
    code: `holdfast.call("go"); holdfast.call("eval", {"code": ${JSON.stringify(inner)}, "language": "node"})["stdout"]`,
  });
  const { value: begun } = await stream.next();
  const stepId = begun?.stepId ?? '';
  const rest = readAnswering(stream, async () => {});
  const go = await waitsFor(here, sessionId, 'go');
  await hostOf(here, sessionId).answer(go.id, { value: 1 });
  for (const name of ['below-1', 'below-2']) {
    let waiting: Step;
    // The answer to the one before may not be known yet.
    do waiting = await hostOf(there, sessionId).step(stepId, waitSecondsMax);
    while (waiting.outcome?.tag !== 'needs' || waiting.outcome.what !== 'operation' || waiting.outcome.name === 'go');
    expect(waiting.outcome).toMatchObject({ name });
    await hostOf(here, sessionId).answer(waiting.outcome.operationId, { value: name });
  }
  expect(endOf(await rest).results[0]?.data['text/plain']).toBe("'below-1\\nbelow-2\\n'");
});

test('a client on another replica that leaves a need open is told of the next one that a step below has', async () => {
  const inner = 'await Promise.all(["first", "second"].map((name) => holdfast.call(name)))';
  const stream = here.streamStep(sessionId, {
    code: `holdfast.call("eval", {"code": ${JSON.stringify(inner)}, "language": "node"})["status"]`,
  });
  const { value: begun } = await stream.next();
  const stepId = begun?.stepId ?? '';
  const rest = readAnswering(stream, async () => {});
  const host = hostOf(there, sessionId);
  await waitsFor(there, sessionId, 'second');
  const needOf = ({ outcome }: Step) => (outcome?.tag === 'needs' && outcome.what === 'operation' ? outcome : null);
  const first = needOf(await host.step(stepId, waitSecondsMax));
  const second = needOf(await host.step(stepId, waitSecondsMax, first?.operationId));
  expect([first?.name, second?.name].toSorted()).toEqual(['first', 'second']);
  for (const need of [first, second]) await host.answer(need?.operationId ?? '', { value: 1 });
  expect(endOf(await rest).results[0]?.data['text/plain']).toBe("'succeeded'");
});

test('a step cannot run one in a context that waits for it, and never waits for a busy one', async () => {
  const own = await printed(failure('"eval", {"code": "1"}'));
  expect(own).toMatchObject([['context-busy', expect.stringContaining('python')]]);
  const back = await printed(`
show(holdfast.call("eval", {"language": "bash", "code": """holdfast call eval '{"code": "1", "language": "python"}' 2>&1"""})["stdout"])`);
  expect(back).toMatchObject([expect.stringContaining('context-busy')]);
  const busy = await here.runStep(sessionId, { code: 'await holdfast.call("keep-busy")', language: 'node' });
  expect(await printed(failure('"eval", {"code": "1", "language": "node"}'))).toMatchObject([
    ['context-busy', expect.any(String)],
  ]);
  const { id } = await waitsFor(here, sessionId, 'keep-busy');
  await hostOf(here, sessionId).answer(id, { value: null });
  await hostOf(here, sessionId).ended(busy.id);
});

test('steps run each other only so deep', async () => {
  const contexts: string[] = [];
  for (let n = 0; n < 8; n++) {
    const { body } = await here.request('POST', `/v1/sessions/${sessionId}/contexts`, { language: 'python' });
    contexts.push(body.id);
  }
  // Each step defines the same function for the next one.
  const code = `
import json
def deeper(source, contexts):
    code = f"source = {source!r}\\nexec(source)\\nprint(json.dumps(deeper(source, {contexts[1:]!r})))"
    try: found = holdfast.call("eval", {"code": code, "contextId": contexts[0]})
    except holdfast.OperationError as e: return [1, e.name]
    depth, why = json.loads(found["stdout"])
    return [depth + 1, why]`;
  const source = JSON.stringify(code);
  const step = await here.runStep(sessionId, {
    code: `source = ${source}\nexec(source)\nprint(json.dumps(deeper(source, ${JSON.stringify(contexts)})))`,
  });
  expect([step.status, step.error]).toEqual(['succeeded', null]);
  expect(JSON.parse(step.stdout)).toEqual([8, 'too-deep']);
}, 60_000);

test('a step whose code was interrupted takes the step that it runs with it', async () => {
  const step = here.streamStep(sessionId, {
    code: 'holdfast.call("eval", {"code": "sleep 60", "language": "bash"})',
  });
  const { value: first } = await step.next();
  const running = async () =>
    (await here.history(sessionId)).find(
      ({ parentStepId, status }) => parentStepId === first?.stepId && status === 'running',
    );
  while (!(await running()));
  const sub = await running();
  await there.request('POST', `/v1/sessions/${sessionId}/steps/${first?.stepId}/interrupt`);
  expect((await hostOf(here, sessionId).ended(first?.stepId ?? '')).status).toBe('interrupted');
  expect((await hostOf(here, sessionId).ended(sub?.id ?? '')).status).toBe('interrupted');
});

test('a fixpoint repeats code until its value stays, or as often as it may', async () => {
  const halve = 'globalThis.n = Math.floor((globalThis.n ?? 40) / 2); n';
  const [settled, cut, failed] = await printed(`
show(holdfast.call("fixpoint", {"code": ${JSON.stringify(halve)}, "language": "node"}))
show(holdfast.call("fixpoint", {"code": "echo $((++count))", "language": "bash", "iterationsMax": 3}))
show(holdfast.call("fixpoint", {"code": "false", "language": "bash"}))`);
  expect(settled).toMatchObject({ settled: true, iterations: 7, last: { results: [{ data: { 'text/plain': '0' } }] } });
  expect(cut).toMatchObject({ settled: false, iterations: 3, last: { stdout: '3\n' } });
  expect(failed).toMatchObject({ settled: false, iterations: 1, last: { status: 'failed' } });
});

test('the session answers questions about itself', async () => {
  const code = `
import json
s = holdfast.session
print(json.dumps([s.id, s.status, s.turn_number, s.operations_count, s.allowed("llm.complete")]))`;
  const step = await here.runStep(sessionId, { code });
  const count = (await hostOf(here, sessionId).all()).length;
  expect(JSON.parse(step.stdout)).toEqual([sessionId, 'active', step.number, count, true]);
  const shell = await here.runStep(sessionId, {
    code: 'holdfast session id; holdfast session turn_number',
    language: 'bash',
  });
  expect(shell.stdout).toBe(`"${sessionId}"\n${shell.number}\n`);
});

test('calls beyond a hundred of a kind share entries of the audit log, which still has their number', async () => {
  const { id } = await here.createSession({ policy: { deniedOperations: ['world.write', 'memo.put'] } });
  const code = `
def fails(name, *args):
  try: holdfast.call(name, *args)
  except holdfast.OperationError: return
  except holdfast.PolicyViolation: return
for n in range(105): holdfast.call("memo.get", "k")
for n in range(105): fails("world.write", "a", "b")
for n in range(5): fails("memo.get", n)
for n in range(102): holdfast.call("facts.assert", "s", "p", n)`;
  const step = await here.runStep(id, { code });
  expect(step.error).toBeNull();
  const entries = async (operation: string) => {
    const { items } = (await there.request('GET', `/v1/sessions/${id}/audit?limit=200&operation=${operation}`)).body;
    return items as { count: number; stepId: string; turn: number; decision: string; rule: string | null }[];
  };
  const sumOf = (items: readonly { count: number }[]) => items.reduce((sum, { count }) => sum + count, 0);
  await eventually(async () => expect(sumOf(await entries('memo.get'))).toBe(110));
  await eventually(async () => expect(sumOf(await entries('world.write'))).toBe(105));
  const [reads, denials] = [await entries('memo.get'), await entries('world.write')];
  expect(reads.slice(0, 100).every(({ count }) => count === 1)).toBe(true);
  expect(reads.length).toBeLessThan(110);
  expect(denials.length).toBeLessThan(105);
  const counted = denials.filter(({ count }) => count > 1);
  expect(counted.length).toBeGreaterThan(0);
  for (const entry of counted) expect(entry).toMatchObject({ decision: 'denied', stepId: step.id, turn: step.number });
  expect(counted[0]?.rule).toBe(denials[0]?.rule);
  expect((await entries('facts.assert')).length, 'each change has its entry').toBe(102);
  const { items } = (await there.request('GET', `/v1/sessions/${id}/audit/statistics`)).body;
  expect(items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ operation: 'memo.get', count: 110, denied: 0 }),
      expect.objectContaining({ operation: 'world.write', count: 105, denied: 105 }),
    ]),
  );
}, 120_000);

test('input of a step is in the audit log with its length alone', async () => {
  const { id } = await here.createSession();
  const { id: stepId } = await here.runStep(id, { code: 'input("Password: ")', stdin: true });
  const sent = await there.request('POST', `/v1/sessions/${id}/steps/${stepId}/stdin`, { text: 'hunter2' });
  expect(sent.status).toBeLessThan(300);
  expect((await hostOf(there, id).ended(stepId)).status).toBe('succeeded');
  const { items } = (await there.request('GET', `/v1/sessions/${id}/audit?operation=step.input`)).body;
  expect(items).toMatchObject([{ stepId, turn: 1, arguments: { characters: 7 } }]);
});

test('a step that waits when its language is forbidden ends as a violation of the policy', async () => {
  const { id } = await here.createSession();
  const running = await here.request('POST', `/v1/sessions/${id}/steps`, {
    code: 'holdfast call wait',
    language: 'bash',
  });
  const { id: waiting } = await waitsFor(here, id, 'wait');
  const queued = here.runStep(id, { code: 'echo queued', language: 'bash' });
  await eventually(async () => {
    const { items } = (await here.request('GET', `/v1/sessions/${id}/steps`)).body;
    expect(items.length).toBe(2);
  });
  const execution = { allowShellCommands: false };
  expect((await here.request('PATCH', `/v1/sessions/${id}`, { policy: { execution } })).status).toBe(200);
  await hostOf(here, id).answer(waiting, { value: 1 });
  expect((await hostOf(here, id).ended(running.body.id)).status).toBe('succeeded');
  expect(await queued).toMatchObject({
    status: 'failed',
    stdout: '',
    outcome: { kind: 'policy-violation' },
    error: { name: 'PolicyViolation' },
  });
}, 60_000);

test('pages of the audit log go on in JavaScript, and each entry of a call has the number of its step', async () => {
  const { id } = await here.createSession();
  const code = `for (let n = 0; n < 90; n++) { await holdfast.call('memo.get', 'a'); await holdfast.call('facts.query'); }
for (let n = 0; n < 60; n++) await holdfast.call('world.list');
const first = await holdfast.session.auditLog();
const second = await holdfast.session.auditLog(first.nextCursor);
const all = [...first.items, ...second.items];
console.log(first.items.length, new Set(all.map(({ id }) => id)).size === all.length, all.length > 240,
  all.filter(({ stepId, turn }) => stepId && turn === null).length);`;
  expect(await here.runStep(id, { code, language: 'node' })).toMatchObject({ stdout: '200 true true 0\n' });
}, 60_000);
