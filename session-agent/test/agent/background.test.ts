import type { BackgroundPage } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { residentBytes } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  await Promise.all([agent.run({ code: '1' }), agent.run({ code: '1', contextId: 'node' })]);
});
afterAll(() => agent[Symbol.asyncDispose]());

async function background(contextId: string, after = 0): Promise<BackgroundPage> {
  return (await agent.call('GET', `/v1/contexts/${contextId}/background?after=${after}`)).body;
}

const textOf = ({ items }: BackgroundPage, stepId: string | null) =>
  items.map((item) => (item.stepId === stepId ? item.text : '')).join('');

const languages = [
  {
    contextId: 'python',
    leave: (command: string) => `import subprocess; subprocess.Popen(["sh", "-c", ${JSON.stringify(command)}]); None`,
    later: (text: string, seconds: number) =>
      `import threading\nthreading.Timer(${seconds}, lambda: print(${JSON.stringify(text)})).start()`,
    printUntil: (file: string) =>
      `import os, time\nwhile not os.path.exists(${JSON.stringify(file)}): print("mine", flush=True); time.sleep(0.005)`,
  },
  {
    contextId: 'node',
    leave: (command: string) =>
      `require("child_process").spawn("sh", ["-c", ${JSON.stringify(command)}], { stdio: "inherit" }); undefined`,
    later: (text: string, seconds: number) =>
      `setTimeout(() => console.log(${JSON.stringify(text)}), ${seconds * 1000}); undefined`,
    printUntil: (file: string) =>
      `while (!require("fs").existsSync(${JSON.stringify(file)})) { console.log("mine"); await new Promise((r) => setTimeout(r, 5)); }`,
  },
];

describe.for(languages)('in $contextId', ({ contextId, leave, later, printUntil }) => {
  test('assigns output of a child process during a later step to the background of its own step', async () => {
    const file = `${agent.workspace}/${contextId}-child`;
    const first = await agent.run({ contextId, code: leave(`sleep 0.2; echo theirs; echo bad >&2; touch ${file}`) });
    const { stdout, stderr, done } = await agent.run({ contextId, code: printUntil(file) });
    expect([done.status, stderr]).toEqual(['succeeded', '']);
    expect(stdout).toMatch(/^(mine\n)+$/);
    await until('the output', async () => textOf(await background(contextId), first.stepId).length >= 11);
    const { items } = await background(contextId);
    const own = items.filter(({ stepId }) => stepId === first.stepId);
    expect(own.map(({ stream, text }) => `${stream}: ${text}`).sort()).toEqual(['stderr: bad\n', 'stdout: theirs\n']);
    expect((await background(contextId, items.at(-1)?.seq)).items).toEqual([]);
  });

  test('assigns output of a thread or timer during a later step to the background of its own step', async () => {
    const first = await agent.run({ contextId, code: later('late', 0.1) });
    const wait =
      contextId === 'python' ? 'import time; time.sleep(0.4)' : 'await new Promise((r) => setTimeout(r, 400))';
    const second = await agent.run({ contextId, code: wait });
    expect(second.stdout).toBe('');
    await until('the output', async () => textOf(await background(contextId), first.stepId) === 'late\n');
  });
});

test('tells the children of twelve steps apart that write at once, and hears those of the last eight', async () => {
  const steps: string[] = [];
  const file = `${agent.workspace}/go`;
  const wait = (text: string) => `while [ ! -e ${file} ]; do sleep 0.02; done; echo ${text}`;
  for (let index = 0; index < 12; index++) {
    const code = `subprocess.Popen(["sh", "-c", ${JSON.stringify(wait(`child ${index}`))}]); print(${index})`;
    const { stepId, stdout } = await agent.run({ code: `import subprocess\n${code}` });
    expect(stdout).toBe(`${index}\n`);
    steps.push(stepId);
  }
  await agent.run({ code: `open(${JSON.stringify(file)}, "w").close()` });
  const told = async () => {
    const page = await background('python');
    return steps.map((stepId) => textOf(page, stepId));
  };
  await until('the eight last', async () => (await told()).filter((text) => text !== '').length === 8);
  expect(await told()).toEqual(steps.map((_, index) => (index < 4 ? '' : `child ${index}\n`)));
  expect((await agent.run({ code: 'print("still here")' })).stdout).toBe('still here\n');
});

test('limits and counts a flood in the background, which delays no step', async () => {
  const before = residentBytes(agent.pid);
  const child = await agent.run({ code: 'import subprocess\nyes = subprocess.Popen(["yes", "flood"]); None' });
  for (let step = 0; step < 5; step++) expect((await agent.run({ code: `print(${step})` })).stdout).toBe(`${step}\n`);
  await until('the flood', async () => (await background('python')).droppedBytes > 1_000_000);
  const { items } = await background('python');
  const bytes = items.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThanOrEqual(256 * 1024);
  expect(new Set(items.map(({ stepId }) => stepId))).toEqual(new Set([child.stepId]));
  await agent.run({ code: 'yes.kill(); yes.wait()' });
  expect(residentBytes(agent.pid) - before).toBeLessThan(64 * 1024 * 1024);
});

test('rejects an invalid position', async () => {
  expect((await agent.call('GET', '/v1/contexts/python/background?after=-1')).status).toBe(400);
  expect((await agent.call('GET', '/v1/contexts/python/background?after=x')).status).toBe(400);
  expect((await agent.call('GET', '/v1/contexts/No%20name/background')).status).toBe(400);
});
