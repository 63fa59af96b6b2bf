import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { policyRevisionHeader } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

const noPrograms = { revision: 0, allowShellCommands: false };
const under = (revision: number) => ({ [policyRevisionHeader]: String(revision) });

/** A step as it is sent; the agent answers only with its refusal. */
const step = (request: object) => ({ stepId: newId('stp'), code: '1', timeoutMs: 20_000, queue: 'wait', ...request });

describe('a session whose policy forbids programs', () => {
  let agent: AgentUnderTest;
  beforeAll(async () => {
    agent = await startAgent();
    await agent.call('PUT', '/v1/session', { language: 'python', env: {}, policy: noPrograms });
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  const errorOf = async (code: string, language = 'python') => {
    const { frames } = await agent.run({ code, contextId: language, language });
    return frames.find(({ type }) => type === 'error')?.json;
  };

  test.each([
    ['subprocess.run', 'import subprocess; subprocess.run(["true"])'],
    ['os.system', 'import os; os.system("true")'],
    ['os.popen', 'import os; os.popen("true")'],
    ['os.execv', 'import os; os.execv("/bin/true", ["true"])'],
    ['os.fork', 'import os; os.fork() or os._exit(0)'],
    ['os.posix_spawn', 'import os; os.posix_spawn("/bin/true", ["true"], {})'],
    ['os.spawnv', 'import os; os.spawnv(os.P_WAIT, "/bin/true", ["true"])'],
    ['pty.spawn', 'import pty; pty.spawn("true")'],
    ['a thread', 'import os, concurrent.futures as c; c.ThreadPoolExecutor().submit(os.system, "true").result()'],
  ])('fails in Python with the rule: %s', async (_, code) => {
    expect(await errorOf(code)).toMatchObject({
      name: 'PolicyViolation',
      message: expect.stringContaining('execution.allowShellCommands'),
    });
    expect(
      await errorOf(`try:\n  ${code.replace('; ', '\n  ')}\nexcept PermissionError as e: raise KeyError(e.rule)`),
    ).toMatchObject({
      message: expect.stringContaining('execution.allowShellCommands'),
    });
  });

  const past = {
    'the C library': 'import ctypes\nc = ctypes.CDLL(None)\nprint(c.system(b"touch made"))',
    'an exec of the C library':
      'import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nprint(c.execv(b"/bin/true", (ctypes.c_char_p * 2)(b"true", None)), ctypes.get_errno())',
    'the function beneath subprocess':
      'import _posixsubprocess as p, os\nr, w = os.pipe()\npid = p.fork_exec([b"x"], [b"/usr/bin/touch"], True, (w,), None, None, -1, -1, -1, -1, -1, -1, r, w, True, False, -1, None, None, None, -1, None, False)',
  };
  test.each(Object.entries(past))('no program runs in Python even past the audit hook, through %s', async (_, code) => {
    await agent.run({ code });
    const { stdout } = await agent.run({ code: 'import os; print(os.path.exists("made"))' });
    expect(stdout).toBe('False\n');
    expect((await agent.run({ code: past['an exec of the C library'] })).stdout).toBe('-1 1\n');
  });

  const calls = {
    execveat: 'c.execveat(-100, b"/bin/true", (ctypes.c_char_p * 2)(b"true", None), None, 0)',
    ptrace: 'c.ptrace(0, 0, None, None)',
    process_vm_writev: 'c.process_vm_writev(os.getpid(), None, 0, None, 0, 0)',
    'getpid by the numbers of x32': 'c.syscall(ctypes.c_long(0x40000000 + 39))',
  };
  test.each(Object.entries(calls))('the filter of a Python kernel refuses %s', async (_, call) => {
    const code = `import ctypes, os\nc = ctypes.CDLL(None, use_errno=True)\nprint(${call}, ctypes.get_errno())`;
    expect((await agent.run({ code })).stdout).toBe('-1 1\n');
  });

  test('the filter holds for threads that are there before it', () => {
    const languages = fileURLToPath(new URL('../../src/languages/python', import.meta.url));
    const code = `import os, sys, threading
sys.path.insert(0, sys.argv[1])
from holdfast_kernel.agent.confinement import forbid_programs
def start():
  set.wait()
  try: os.execv("/bin/true", ["true"])
  except PermissionError: print("refused")
set = threading.Event(); thread = threading.Thread(target=start); thread.start()
print(forbid_programs()); set.set(); thread.join()`;
    expect(execFileSync('python3', ['-c', code, languages], { encoding: 'utf8' })).toBe('True\nrefused\n');
  });

  test.each(['execSync("true")', 'exec("true")', 'spawn("true")', 'spawnSync("true")', 'fork("a.js")'])(
    'fails in Node with the rule: %s',
    async (call) => {
      expect(await errorOf(`require('node:child_process').${call}`, 'node')).toMatchObject({ name: 'PolicyViolation' });
      expect(await errorOf(`(await import('node:child_process')).${call}`, 'node')).toMatchObject({
        name: 'PolicyViolation',
      });
    },
  );

  test("no program runs in Node even past the functions of Node's modules", async () => {
    const code = `const stdio = [0, 1, 2].map(() => ({ type: 'ignore' }));
process.binding('spawn_sync').spawn({ file: '/bin/true', args: ['true'], envPairs: [], stdio }).error`;
    const { value } = await agent.run({ contextId: 'node', language: 'node', code });
    expect(value).toBe('-1');
  });

  test.each([
    ['python', 'a.py', 'import subprocess\nprint(subprocess.run(["touch", "made"]))'],
    ['node', 'a.cjs', 'require("child_process").execFileSync("touch", ["made"])'],
  ] as const)('a job in %s runs and starts no program', async (language, filename, code) => {
    writeFileSync(join(agent.workspace, filename), code);
    const { done, stderr } = await agent.runJob({ language, filename });
    expect(done).toMatchObject({ status: 'failed' });
    expect(stderr).toMatch(/EPERM|Operation not permitted/);
  });

  test('code goes on to run, and threads and files work', async () => {
    const code =
      'import threading\nt = threading.Thread(target=lambda: open("t", "w").write("x")); t.start(); t.join()\nopen("t").read()';
    expect((await agent.run({ code })).value).toBe("'x'");
    const node = { contextId: 'node', language: 'node' };
    expect((await agent.run({ ...node, code: 'await require("fs").promises.readFile("t", "utf8")' })).value).toBe(
      "'x'",
    );
  });

  test('a snapshot is taken, although that forks the kernel', async () => {
    await agent.run({ code: 'kept = 1' });
    const taken = await agent.send('POST', '/v1/contexts/python/snapshot', { bytesMax: 1e6, timeoutMs: 10_000 });
    expect(taken.status).toBe(200);
    expect((await taken.text()).includes('kept')).toBe(true);
  });

  test('a shell is refused as a step, a context, a recovery and a job', async () => {
    const denied = { status: 403, body: { code: 'policy-denied' } };
    const recovery = { language: 'bash', env: {}, hasArchive: false, steps: [], timeoutMs: 20_000 };
    writeFileSync(join(agent.workspace, 'a.sh'), 'true');
    const job = { jobId: newId('job'), language: 'bash', filename: 'a.sh', args: [], stdin: '', timeoutMs: 20_000 };
    expect(await agent.call('POST', '/v1/steps', step({ contextId: 'bash', language: 'bash' }))).toMatchObject(denied);
    expect(await agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'bash' })).toMatchObject(
      denied,
    );
    expect(await agent.call('POST', '/v1/contexts/bash/recover', recovery)).toMatchObject(denied);
    expect(await agent.call('POST', '/v1/jobs', job)).toMatchObject(denied);
  });
});

test('no program runs through a package that the code has written and that every Python imports first', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-home-')));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(home, { recursive: true }));
  const agent = stack.use(await startAgent({ HOME: home }));
  await agent.call('PUT', '/v1/session', { language: 'python', env: {}, policy: noPrograms });
  const isMade = () => existsSync(join(home, 'made'));
  const written = await agent.run({
    code: `import os, site, time
packages = site.getusersitepackages()
assert packages.startswith(${JSON.stringify(home)})
os.makedirs(packages)
with open(os.path.join(packages, 'own.pth'), 'w') as file:
    file.write('import os; os.system("touch " + os.path.join(os.environ["HOME"], "made"))')
# The process from which the agent forks kernels would start meanwhile.
time.sleep(5)
"written"`,
  });
  expect(written).toMatchObject({ value: "'written'" });
  expect(isMade()).toBe(false);
  await agent.run({ code: 'import os; os._exit(0)' });
  expect((await agent.run({ code: '1' })).value).toBe('1');
  expect(isMade()).toBe(false);
});

test('a kernel starts, confined, although the workspace has modules with the names of those that it needs', async () => {
  await using agent = await startAgent();
  await agent.call('PUT', '/v1/session', { language: 'python', env: {}, policy: noPrograms });
  for (const name of ['ctypes', 'platform']) {
    writeFileSync(join(agent.workspace, `${name}.py`), 'import os; os.system("touch made")');
  }
  expect(await agent.run({ code: 'import os; os.path.exists("made")' })).toMatchObject({ value: 'False' });
  const { frames } = await agent.run({ code: 'import os; os.system("true")' });
  expect(frames.find(({ type }) => type === 'error')?.json).toMatchObject({ name: 'PolicyViolation' });
});

describe('a policy that changes', () => {
  const outdated = { status: 409, body: { code: 'policy-changed' } };
  const set = (agent: AgentUnderTest, revision: number, allowShellCommands: boolean) =>
    agent.call('PUT', '/v1/policy', { revision, allowShellCommands });
  async function bound() {
    const agent = await startAgent();
    await agent.call('PUT', '/v1/session', { language: 'python', env: {} });
    return agent;
  }
  const spawns = 'import subprocess\nsubprocess.run(["true"]).returncode';

  test('refuses code that was decided by another revision, and a lower revision changes nothing', async () => {
    await using agent = await bound();
    const python = { contextId: 'python', language: 'python' };
    expect((await set(agent, 2, true)).status).toBe(204);
    expect((await set(agent, 1, false)).status).toBe(204);
    for (const headers of [{}, under(1), under(3)]) {
      expect(await agent.call('POST', '/v1/steps', step(python), headers)).toMatchObject(outdated);
      expect(await agent.call('POST', '/v1/contexts', { ...python, contextId: newId('ctx') }, headers)).toMatchObject(
        outdated,
      );
      const job = { jobId: newId('job'), language: 'python', filename: 'a.py', args: [], stdin: '', timeoutMs: 20_000 };
      expect(await agent.call('POST', '/v1/jobs', job, headers)).toMatchObject(outdated);
    }
    await expect(agent.run({ code: spawns })).rejects.toThrow('policy-changed');
    expect((await agent.run({ code: spawns }, under(2))).value).toBe('0');
  });

  test('holds for a Python kernel that runs already, also if its code has changed the kernel', async () => {
    await using agent = await bound();
    const lies = `from holdfast_kernel.agent import confinement, programs
for module in confinement, programs:
    for name, value in list(vars(module).items()):
        if callable(value): setattr(module, name, lambda *_, **__: True)
        if isinstance(value, bool): setattr(module, name, True)
`;
    expect((await agent.run({ code: lies + spawns })).value).toBe('0');
    await set(agent, 1, false);
    const { frames, done } = await agent.run({ code: spawns }, under(1));
    expect(frames.some(({ type }) => type === 'state_reset')).toBe(true);
    expect(frames.find(({ type }) => type === 'error')?.json).toMatchObject({ name: 'PolicyViolation' });
    expect(done.contextEpoch).toBe(2);
    await agent.run({ code: 'x = 1' }, under(1));
    await set(agent, 2, true);
    expect((await agent.run({ code: 'x' }, under(2))).value).toBe('1');
  });

  test('ends a Python kernel that has no step, and its threads with it', async () => {
    await using agent = await bound();
    const code = `import os, threading, time
threading.Thread(target=lambda: time.sleep(600), daemon=True).start()
os.getpid()`;
    const pid = Number((await agent.run({ code })).value);
    expect(process.kill(pid, 0)).toBe(true);
    await set(agent, 1, false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('a step that runs goes on, and the one after it may start no program', async () => {
    await using agent = await bound();
    await agent.run({ code: '1' });
    const running = await agent.open({
      code: `import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)\n${spawns}`,
    });
    const waiting = agent.run({ code: spawns });
    await agent.call('GET', '/v1/contexts');
    expect((await set(agent, 1, false)).status).toBe(204);
    writeFileSync(join(agent.workspace, 'go'), '');
    const shown = [];
    for await (const { type, json } of running.frames) if (type === 'result') shown.push(json);
    expect(shown).toMatchObject([{ data: { 'text/plain': '0' } }]);
    const { frames } = await waiting;
    expect(frames.find(({ type }) => type === 'error')?.json).toMatchObject({ name: 'PolicyViolation' });
  });

  test('a kernel stays if the policy is loosened again before its step has ended', async () => {
    await using agent = await bound();
    await agent.run({ code: 'x = 1' });
    const running = await agent.open({
      code: 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)\ny = 2',
    });
    await agent.call('GET', '/v1/contexts');
    for (const [revision, allows] of [
      [1, false],
      [2, true],
    ] as const)
      await set(agent, revision, allows);
    writeFileSync(join(agent.workspace, 'go'), '');
    for await (const _ of running.frames);
    const { value, done } = await agent.run({ code: 'x + y' }, under(2));
    expect([value, done.contextEpoch]).toEqual(['3', 1]);
  });

  test('a step that runs in Node goes on, and its kernel is replaced after it', async () => {
    await using agent = await bound();
    const node = { contextId: 'node', language: 'node' };
    await agent.run({ ...node, code: '1' });
    const code = 'while (!fs.existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));\n"went on"';
    const running = await agent.open({ ...node, code });
    expect((await set(agent, 1, false)).status).toBe(204);
    writeFileSync(join(agent.workspace, 'go'), '');
    const shown = [];
    for await (const { type, json } of running.frames) if (type === 'result') shown.push(json);
    expect(shown).toMatchObject([{ data: { 'text/plain': "'went on'" } }]);
    const next = await agent.run({ ...node, code: 'child_process.execSync("true")' }, under(1));
    expect(next.done.contextEpoch).toBe(2);
    expect(next.frames.find(({ type }) => type === 'error')?.json).toMatchObject({ name: 'PolicyViolation' });
  });

  test('gives Node another kernel, because one that runs cannot be confined', async () => {
    await using agent = await bound();
    const node = { contextId: 'node', language: 'node' };
    await agent.run({ ...node, code: 'globalThis.x = 1' });
    await set(agent, 1, false);
    const { frames, value, done } = await agent.run({ ...node, code: 'typeof x' }, under(1));
    expect(frames.some(({ type }) => type === 'state_reset')).toBe(true);
    expect(value).toBe("'undefined'");
    expect(done.contextEpoch).toBe(2);
    await set(agent, 1, false);
    expect((await agent.run({ ...node, code: '1' }, under(1))).done.contextEpoch).toBe(2);
  });
});
