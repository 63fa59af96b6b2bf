import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callsWaitingMax, type OperationAnswer, type OperationCall } from '@holdfast/specs/agent';
import { newId, operationArgumentsBytesMax } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, readTo, report, type StepRequest } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
});
afterAll(() => agent[Symbol.asyncDispose]());

const answer = (stepId: string, call: number, given: OperationAnswer) =>
  agent.call('POST', `/v1/steps/${stepId}/operations/${call}`, given);

/** Runs a step and answers its calls, as a data-plane would. */
async function runAnswered(request: StepRequest, answerTo: (call: OperationCall) => OperationAnswer | null) {
  const { stepId, frames } = await agent.open(request);
  const calls: OperationCall[] = [];
  const seen = [];
  for await (const frame of frames) {
    seen.push(frame);
    if (frame.type !== 'operation_request') continue;
    const call = frame.json as OperationCall;
    calls.push(call);
    const given = answerTo(call);
    if (given) await answer(stepId, call.call, given);
  }
  return { calls, ...report(stepId, seen) };
}

const echo = (call: OperationCall): OperationAnswer => ({ value: { [call.name]: JSON.parse(call.arguments) } });
const refuse = (): OperationAnswer => ({ error: { name: 'Busy', message: 'try later' } });
const forbid = (): OperationAnswer => ({
  error: { name: 'PolicyViolation', message: 'no: deniedOperations', rule: 'deniedOperations' },
});

type Words = { call: string; failure: string; violation: string; session: string; print: (text: string) => string };

const languages: Record<'python' | 'node' | 'bash', Words> = {
  python: {
    call: 'import json; print(json.dumps(holdfast.call("llm.complete", "é", {"n": [1, None]})))',
    failure:
      'import holdfast\ntry: holdfast.call("a")\nexcept holdfast.OperationError as e: print(e.name, e.message, e)',
    violation:
      'try: holdfast.call("a")\nexcept PermissionError as e: print(type(e) is holdfast.PolicyViolation, e.message, e.rule)',
    session: 'print(holdfast.session.id, holdfast.session.budget_remaining("tokens"))',
    print: (text) => `print("${text}")`,
  },
  node: {
    call: 'console.log(JSON.stringify(await holdfast.call("llm.complete", "é", { n: [1, null] })))',
    failure:
      'try { await holdfast.call("a") } catch (e) { console.log(e.name, e.message, e instanceof holdfast.OperationError) }',
    violation:
      'try { await holdfast.call("a") } catch (e) { console.log(e instanceof holdfast.PolicyViolation, e.message, e.rule) }',
    session: 'console.log(await holdfast.session.id, await holdfast.session.budgetRemaining("tokens"))',
    print: (text) => `console.log("${text}")`,
  },
  bash: {
    call: `holdfast call llm.complete '"é"' '{"n":[1,null]}'`,
    failure: 'holdfast call a 2>&1; echo $?',
    violation: 'holdfast call a 2>&1; echo $?',
    session: 'echo $(holdfast session id) $(holdfast session budget_remaining tokens)',
    print: (text) => `echo ${text}`,
  },
};

describe.each(Object.entries(languages))('%s', (contextId, words) => {
  test('calls an operation and gets its value, after what it printed before', async () => {
    const code = `${words.print('before')}\n${words.call}`;
    const { calls, stdout, frames } = await runAnswered({ contextId, code }, echo);
    expect(calls).toEqual([{ call: 1, name: 'llm.complete', arguments: '["é",{"n":[1,null]}]' }]);
    expect(JSON.parse(stdout.replace('before\n', ''))).toEqual({ 'llm.complete': ['é', { n: [1, null] }] });
    const types = frames.map(({ type }) => type);
    expect(types.indexOf('stdout')).toBeLessThan(types.indexOf('operation_request'));
  });

  test('an operation that fails is an error, and one that the policy forbids a violation', async () => {
    const failed = await runAnswered({ contextId, code: words.failure }, refuse);
    expect(failed.stdout).toMatch(/Busy:? try later/);
    const forbidden = await runAnswered({ contextId, code: words.violation }, forbid);
    expect(forbidden.stdout).toContain('no');
    expect(forbidden.stdout).toContain('deniedOperations');
    expect([failed.done.status, forbidden.done.status]).toEqual(['succeeded', 'succeeded']);
  });

  test('asks about the session', async () => {
    const { calls, stdout } = await runAnswered({ contextId, code: words.session }, ({ name }) => ({
      value: name === 'session.id' ? 7 : null,
    }));
    expect(calls).toMatchObject([
      { name: 'session.id' },
      { name: 'session.budget_remaining', arguments: '["tokens"]' },
    ]);
    expect(stdout).toMatch(/^7 (None|null)\n$/);
  });

  test('a step that waits for an answer can be interrupted, and the next one calls again', async () => {
    const { stepId, frames } = await agent.open({ contextId, code: words.call });
    await readTo(frames, 'operation_request');
    await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
    expect(report(stepId, await all(frames)).done).toMatchObject({ status: 'interrupted', stateSurvived: true });
    expect((await answer(stepId, 1, { value: 'late' })).status).toBe(204);
    expect((await runAnswered({ contextId, code: words.call }, echo)).calls).toHaveLength(1);
  });

  test('a step that waits for an answer times out', async () => {
    const { done } = await agent.run({ contextId, code: words.call, timeoutMs: 1000 });
    expect(done).toMatchObject({ status: 'timed_out', stateSurvived: true });
  });
});

test.each(['hello', 'src/a.txt', "it's"])('a shell is told how to write a text that is not JSON: %s', async (text) => {
  const quoted = text.includes("'") ? 'text' : text;
  const { stdout } = await runAnswered({ contextId: 'bash', code: `holdfast call memo.get "${text}" 2>&1` }, echo);
  expect(stdout).toContain(`not JSON: ${text}\n`);
  expect(stdout).toContain(`'"${quoted}"'`);
});

test('threads, tasks and forked processes of a Python step call at the same time', async () => {
  const code = `
import asyncio, os
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(lambda n: holdfast.call('double', n), range(20))))
print(sum(await asyncio.gather(*(holdfast.acall('double', n) for n in range(20)))))
if (child := os.fork()) == 0:
    os._exit(holdfast.call('double', 21))
os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])`;
  const { stdout, value, calls } = await runAnswered({ code }, (call) => ({
    value: 2 * JSON.parse(call.arguments)[0],
  }));
  expect([stdout, value, calls.length]).toEqual(['380\n380\n', '42', 41]);
});

test('the command works in pipelines, subshells and child programs, and reads an argument from its input', async () => {
  writeFileSync(join(agent.workspace, 'child.sh'), 'holdfast call n 3');
  const code = `seq 2 | while read n; do holdfast call n $n; done | cat
(holdfast call n 7); sh child.sh; echo '{"a": 1}' | holdfast call n -; holdfast call n 'not JSON' || echo $?; holdfast; echo $?`;
  const { stdout, stderr, done } = await runAnswered({ contextId: 'bash', code }, (call) => ({
    value: JSON.parse(call.arguments)[0],
  }));
  expect(done.status).toBe('succeeded');
  expect(stdout).toBe('1\n2\n7\n3\n{"a":1}\n2\n2\n');
  expect(stderr).toContain('not JSON');
});

const programs = {
  'a.py':
    'import holdfast\nprint(holdfast.call("n", 1))\ntry: holdfast.call("refused")\nexcept holdfast.OperationError as e: print(e.name)',
  'a.cjs':
    'const { call, OperationError } = require("holdfast"); call("n", 1).then(console.log).then(() => call("refused")).catch((e) => console.log(e instanceof OperationError && e.name))',
  'a.mjs':
    'import { createRequire } from "node:module"; const holdfast = createRequire(import.meta.url)("holdfast"); console.log(await holdfast.call("n", 1)); await holdfast.call("refused").catch((e) => console.log(e.name))',
  'a.rb':
    'require "holdfast"\nputs Holdfast.call("n", 1)\nbegin; Holdfast.call("refused"); rescue Holdfast::OperationError => e; puts e.name; end',
};
const answerProgram = (call: OperationCall) =>
  call.name === 'refused' ? refuse() : { value: JSON.parse(call.arguments)[0] };

test.each([
  [
    'a.py',
    'python',
    'import subprocess, sys; print(subprocess.run([sys.executable, "a.py"], capture_output=True, text=True).stdout, end="")',
  ],
  [
    'a.py',
    'python',
    'import subprocess; print(subprocess.run(["sh", "-c", "python3 a.py"], capture_output=True, text=True).stdout, end="")',
  ],
  ['a.py', 'bash', 'python3 a.py'],
  ['a.cjs', 'node', 'process.stdout.write(require("child_process").spawnSync(process.execPath, ["a.cjs"]).stdout)'],
  ['a.mjs', 'bash', '"$HOLDFAST_NODE" a.mjs'],
  ['a.rb', 'bash', 'ruby a.rb'],
  ['a.rb', 'ruby', programs['a.rb']],
] as const)('the program %s, started in %s, has a module that calls operations: %s', async (file, contextId, code) => {
  writeFileSync(join(agent.workspace, file), programs[file]);
  // It may block its kernel, so the answer must not wait for anything of it.
  const { stdout, calls } = await runAnswered({ contextId, code }, answerProgram);
  expect(stdout).toBe('1\nBusy\n');
  expect(calls.map(({ name }) => name)).toEqual(['n', 'refused']);
});

test.each(['a.py', 'a.cjs'] as const)(
  'the job %s has the module and is told that only a step can call',
  async (file) => {
    const language = ({ 'a.py': 'python', 'a.cjs': 'node' } as const)[file];
    writeFileSync(join(agent.workspace, file), programs[file]);
    const { stderr, stdout } = await agent.runJob({ language, filename: file });
    expect(stderr + stdout).toMatch(/only the code of a running step can call operations|^OperationError/);
  },
);

test('the folders of the modules come after those of the session', async () => {
  const env = { PYTHONPATH: '/own/python', NODE_PATH: '/own/node', RUBYLIB: '/own/ruby' };
  const created = await agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'bash', env });
  const code = 'for path in "$PYTHONPATH" "$NODE_PATH" "$RUBYLIB"; do echo "$path" | cut -d: -f1; done';
  const { stdout } = await agent.run({ contextId: created.body.contextId, code });
  expect(stdout).toBe('/own/python\n/own/node\n/own/ruby\n');
});

test('an answer counts once, may be repeated, and needs a call', async () => {
  const { stepId, frames } = await agent.open({ code: 'holdfast.call("a")' });
  await readTo(frames, 'operation_request');
  expect((await answer(stepId, 2, { value: 0 })).status).toBe(404);
  expect((await answer(stepId, 1, { value: 1 })).status).toBe(204);
  expect((await answer(stepId, 1, { value: 2 })).status).toBe(204);
  expect(report(stepId, await all(frames)).value).toBe('1');
  await agent.call('POST', '/v1/acks', { stepIds: [stepId] });
  expect((await answer(stepId, 1, { value: 3 })).status).toBe(204);
  expect((await answer(newId('stp'), 1, { value: 3 })).status).toBe(404);
  for (const body of [{}, { value: 1, error: { name: 'a', message: 'b' } }, { error: 'no' }])
    expect((await agent.call('POST', `/v1/steps/${stepId}/operations/1`, body)).status).toBe(400);
  expect((await agent.call('POST', `/v1/steps/${stepId}/operations/x`, { value: 1 })).status).toBe(400);
});

test('a reader that attaches again gets the calls again', async () => {
  const { stepId, frames } = await agent.open({ code: 'holdfast.call("a")' });
  await readTo(frames, 'operation_request');
  const again = await agent.attach(stepId, 0);
  expect((await readTo(again, 'operation_request')).json).toEqual({ call: 1, name: 'a', arguments: '[]' });
  await answer(stepId, 1, { value: null });
  expect((await all(again)).at(-1)?.json).toMatchObject({ status: 'succeeded' });
});

test('too many calls, too long ones and those outside of a step are refused, and cost the step nothing', async () => {
  const code = `
from concurrent.futures import ThreadPoolExecutor
def refusal(*call):
    try: return holdfast.call(*call)
    except holdfast.OperationError as e: return e.message
print(refusal('a', 'x' * ${operationArgumentsBytesMax}))
print(refusal('not a name'))
with ThreadPoolExecutor(${callsWaitingMax + 6}) as pool:
    print(sorted(filter(None, pool.map(lambda n: refusal('wait', n), range(${callsWaitingMax + 6}))))[:7])
print(refusal('a'))`;
  const { stepId, frames } = await agent.open({ code });
  for (let call = 1; call <= callsWaitingMax; call++) await readTo(frames, 'operation_request');
  const late = await agent.run({ contextId: 'node', code: '1' });
  expect(late.done.status).toBe('succeeded');
  for (let call = 1; call <= callsWaitingMax; call++) await answer(stepId, call, { value: null });
  const last = await readTo(frames, 'operation_request');
  expect(last.json).toMatchObject({ call: callsWaitingMax + 1, name: 'a' });
  await answer(stepId, callsWaitingMax + 1, { value: 'yes' });
  const { stdout } = report(stepId, await all(frames));
  const attached = report(stepId, await all(await agent.attach(stepId, 0)));
  expect(stdout || attached.stdout).toContain('yes');
  const lines = attached.stdout.split('\n');
  expect(lines[0]).toBe(`the arguments exceed ${operationArgumentsBytesMax} bytes`);
  expect(lines[1]).toContain('must be words with dots');
  expect(lines[2]).toBe(`[${Array(6).fill(`'${callsWaitingMax} calls of the step are waiting already'`).join(', ')}]`);
});

test('a program that outlives its step cannot call any more', async () => {
  const code = '(until [ -e over ]; do sleep 0.05; done; holdfast call a 2>later) & disown';
  await agent.run({ contextId: 'bash', code });
  // In another context, as a call counts as one of the step that runs in its own.
  const { value } = await agent.run({
    code: `import os, time
open("over", "w").close()
while not os.path.exists("later") or not os.path.getsize("later"): time.sleep(0.01)
open("later").read()`,
  });
  expect(value).toContain('only the code of a running step can call operations');
});
