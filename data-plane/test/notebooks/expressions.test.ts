import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLanguages } from '../../src/runtimes/process/find-languages.ts';
import { killSandbox } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const { PATH: path = '', HOME: home = '' } = process.env;
const installed = await findLanguages({ hasPython: true, path, home });

let installation: Installation;
let holdfast: Holdfast;
let sessionId: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  sessionId = (await holdfast.createSession()).id;
}, 60_000);
afterAll(() => installation[Symbol.asyncDispose]());

const run = (code: string, expressions: Record<string, string>, more = {}) =>
  holdfast.runStep(sessionId, { code, expressions, ...more });
const text = (value: string) => ({ data: { 'text/plain': value }, metadata: {} });

test('expressions are evaluated after the code, and an error of one is its value', async () => {
  const step = await run('x = 41\nprint("out")\nx', {
    next: 'x + 1',
    nothing: 'None',
    missing: 'y',
    faulty: 'x = 1',
    leaves: '__import__("sys").exit(3)',
  });
  expect(step).toMatchObject({ status: 'succeeded', stdout: 'out\n', error: null, results: [text('41')] });
  expect(step).not.toHaveProperty('exitCode');
  expect(step.expressions).toMatchObject({
    next: text('42'),
    nothing: text('None'),
    missing: { error: { name: 'NameError', message: "name 'y' is not defined", traceback: expect.any(Array) } },
    faulty: { error: { name: 'SyntaxError' } },
    leaves: { error: { name: 'SystemExit' } },
  });
  expect((await holdfast.request('GET', `/v1/sessions/${sessionId}/steps/${step.id}`)).body).toEqual(step);
  const rich = 'class A:\n  def _repr_html_(self): return "<b>A</b>"\n  def __repr__(self): return "A!"';
  expect((await run(rich, { a: 'A()' })).expressions?.a).toEqual({
    data: { 'text/plain': 'A!', 'text/html': '<b>A</b>' },
    metadata: {},
  });
});

test('the histories do not have the values of expressions', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: '%precision 3\n7' });
  await holdfast.runStep(id, { code: 'pass', expressions: { hidden: '6 * 7', shown: '1 / 3' } });
  const step = await holdfast.runStep(id, {
    code: '(_, sorted(Out))',
    expressions: { result: 'get_ipython().last_execution_result.result' },
  });
  expect(step.results[0]?.data['text/plain']).toBe('(7, [1])');
  expect(step.expressions?.result).toEqual(text('(7, [1])'));
});

test('a step that does not succeed evaluates none, and answers with an empty object', async () => {
  const step = await run('1 / 0', { one: 'open("evaluated", "w")' });
  expect(step).toMatchObject({ status: 'failed', expressions: {} });
  expect(step.artifacts).toEqual([]);
});

test('Node evaluates expressions as V8 reads them, and a shell refuses them', async () => {
  const node = { language: 'node' } as const;
  const step = await run(
    'const n = 6; n',
    {
      value: 'n * 7',
      object: '{a: n} // a comment',
      waits: 'await Promise.resolve(n)',
      two: '1); (2',
      statement: 'let z = 1',
      missing: 'q',
      none: 'undefined',
    },
    node,
  );
  expect(step.results[0]?.data).toEqual({ 'text/plain': '6' });
  expect(step.expressions).toMatchObject({
    value: text('42'),
    object: text('{ a: 6 }'),
    waits: text('6'),
    two: { error: { name: 'SyntaxError' } },
    statement: { error: { name: 'SyntaxError' } },
    missing: { error: { name: 'ReferenceError', message: 'q is not defined' } },
    none: text('undefined'),
  });
  const last = await holdfast.runStep(sessionId, { ...node, code: '_' });
  expect(last.results[0]?.data['text/plain']).toBe('6');
  const { status, body } = await holdfast.request('POST', `/v1/sessions/${sessionId}/steps`, {
    language: 'bash',
    code: 'true',
    expressions: { a: '$a' },
  });
  expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'unsupported-by-runtime', '/expressions']);
});

test.skipIf(!installed.includes('ruby'))('Ruby evaluates expressions in the binding of its steps', async () => {
  const step = await run(
    'n = 6',
    { value: 'n * 7', missing: 'q', faulty: '(', leaves: 'exit 3' },
    { language: 'ruby' },
  );
  expect(step).toMatchObject({ status: 'succeeded', results: [text('6')] });
  expect(step.expressions).toMatchObject({
    value: text('42'),
    missing: { error: { name: 'NameError' } },
    faulty: { error: { name: 'SyntaxError' } },
    leaves: { error: { name: 'SystemExit' } },
  });
});

const endless = [
  ['python', '__import__("time").sleep(60)'],
  ['node', '(() => { for (;;); })()'],
  ['ruby', 'sleep 60'],
] as const;

test.for(endless.filter(([language]) => installed.includes(language)))(
  'results and values from before a timeout stay, in %s',
  async ([language, slow]) => {
    const step = await run('6', { first: '7', slow, last: '8' }, { language, timeoutSeconds: 1 });
    expect(step).toMatchObject({ status: 'timed_out', results: [text('6')] });
    expect(step.expressions).toEqual({ first: text('7') });
  },
);

test('expressions run under the timeout and the rules of their step, and what they do is part of it', async () => {
  const slow = await run('pass', { slow: '__import__("time").sleep(60)', after: '1' }, { timeoutSeconds: 1 });
  expect(slow).toMatchObject({ status: 'timed_out', expressions: {} });
  const writes = await run('pass', { file: 'open("by-expression.txt", "w").write("abc")' });
  expect(writes.artifacts.map(({ path }) => path)).toEqual(['by-expression.txt']);
  const { id } = await holdfast.createSession({ policy: { deniedOperations: ['mail.*'] } });
  const denied = await holdfast.runStep(id, { code: 'pass', expressions: { sent: 'holdfast.call("mail.send")' } });
  expect(denied.expressions?.sent).toMatchObject({ error: { name: expect.stringContaining('PolicyViolation') } });
});

test('too many or too long expressions are refused, and too long values are errors of their own', async () => {
  const refused = async (expressions: object) => {
    const body = { code: '1', expressions };
    return (await holdfast.request('POST', `/v1/sessions/${sessionId}/steps`, body)).status;
  };
  expect(await refused(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`e${n}`, '1'])))).toBe(400);
  expect(await refused({ long: `1${' '.repeat(16_384)}` })).toBe(400);
  expect(await refused({ '': '1' })).toBe(400);
  expect(await refused(JSON.parse('{"__proto__": "1"}'))).toBe(400);
  const step = await run('pass', { small: '1', large: '"a" * 900_000', larger: '"b" * 900_000', last: '2' });
  expect(step.expressions).toMatchObject({
    small: text('1'),
    larger: { error: { name: 'ValueTooLarge' } },
    last: text('2'),
  });
  expect((await holdfast.request('GET', `/v1/sessions/${sessionId}/steps/${step.id}`)).body).toEqual(step);
});

test('a stream has each value as an event, and a brief end has none', async () => {
  const events = async (brief: boolean) => {
    const response = await fetch(`${holdfast.url}/v1/sessions/${sessionId}/steps?brief=${brief}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify({ code: '1', expressions: { a: '2', b: 'c_' } }),
    });
    return (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const seen = await events(false);
  expect(seen.map(({ type }) => type)).toEqual(['started', 'result', 'expression', 'expression', 'finished']);
  expect(seen[2]).toMatchObject({ name: 'a', value: text('2') });
  expect(Object.keys(seen.at(-1).step.expressions)).toEqual(['a', 'b']);
  expect((await events(true)).at(-1).step.expressions).toEqual({});
});

test('a recovery restores no value that an expression after the snapshot may have changed', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'kept = [1]; changed = [1]' });
  expect((await holdfast.request('POST', `/v1/sessions/${id}/snapshots`)).status).toBe(201);
  const { sql } = installation.database.owner;
  await sql`create function refuse_snapshot() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`;
  await sql`create trigger refuse before insert on snapshots for each row execute function refuse_snapshot()`;
  await holdfast.runStep(id, { code: 'later = 5', expressions: { changed: 'changed.append(2)' } });
  await holdfast.runStep(id, { code: 'none = 6', expressions: {} });
  await killSandbox(holdfast, id);
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
    expect(body).toMatchObject({ status: 'active', epoch: 2 });
  }, 30_000);
  await sql`drop trigger refuse on snapshots`;
  const step: Step = await holdfast.runStep(id, { code: '(kept, later, none, "changed" in globals())' });
  expect(step.results[0]?.data['text/plain']).toBe('([1], 5, 6, False)');
});
