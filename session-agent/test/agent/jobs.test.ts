import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { frameHeaderBytes } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, type JobRequest, readTo, report, type StepReport } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_STEP_OUTPUT_BYTES_MAX: '100000' });
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
});

/** Writes a file as the host does, so that it does not count as a job's change. */
async function write(path: string, text: string): Promise<string> {
  expect((await agent.send('PUT', `/v1/files?path=${encodeURIComponent(path)}`, text)).ok).toBe(true);
  return path;
}

async function run(language: JobRequest['language'], code: string, request: Partial<JobRequest> = {}) {
  const filename = await write(`${newId('job')}/main.${endings[language]}`, code);
  return await agent.runJob({ language, filename, ...request });
}
const endings = { python: 'py', node: 'js', bun: 'ts', bash: 'sh' };

const changesOf = ({ frames }: StepReport) =>
  frames.filter(({ type }) => type === 'changes').flatMap(({ json }) => json.changes as { path: string }[]);

/** Prints its arguments, a variable and its input, writes a file and to stderr, and exits with 3. */
const programs = {
  python: `import os, sys
print(sys.argv[1:], os.environ['GREETING'], sys.stdin.read(), os.getcwd())
print('problem', file=sys.stderr)
open('made by python', 'w').write('x')
sys.exit(3)`,
  node: `import { readFileSync, writeFileSync } from 'node:fs';
console.log(process.argv.slice(2), process.env.GREETING, await Promise.resolve(readFileSync(0, 'utf8')), process.cwd());
console.error('problem');
writeFileSync('made by node', 'x');
process.exit(3);`,
  bun: `const text: string = await Bun.stdin.text();
console.log(process.argv.slice(2), process.env.GREETING, text, process.cwd());
console.error('problem');
await Bun.write('made by bun', 'x');
process.exit(3);`,
  bash: `echo "[$1|$2]" "$GREETING" "$(cat /dev/stdin)" "$PWD" > /dev/stdout
echo problem > /dev/stderr
echo -n x > 'made by bash'
exit 3`,
};
const argumentsAs = { python: `['a b', '-x']`, node: `[ 'a b', '-x' ]`, bun: `[ "a b", "-x" ]`, bash: '[a b|-x]' };

test.for(['python', 'node', 'bun', 'bash'] as const)(
  'gives a job of %s arguments, environment and input, and reports output, changes and exit code',
  async (language) => {
    const env = { GREETING: 'hello' };
    const job = await run(language, programs[language], { args: ['a b', '-x'], env, stdin: 'input' });
    expect(job.stdout).toBe(`${argumentsAs[language]} hello input ${agent.workspace}\n`);
    expect(job.stderr).toBe('problem\n');
    expect(changesOf(job)).toMatchObject([{ path: `made by ${language}`, change: 'created', size: 1 }]);
    expect(job.done).toMatchObject({ status: 'failed', cause: { code: 'process_exited', exitCode: 3 } });
    expect(job.frames.map(({ type }) => type)).toMatchObject({ 0: 'started', [job.frames.length - 2]: 'changes' });
  },
);

test('reports success for an exit code of 0, and the signal that ended a job', async () => {
  expect((await run('bash', ':')).done).toMatchObject({ status: 'succeeded', cause: null });
  expect((await run('bash', 'kill -SEGV $$')).done).toMatchObject({
    status: 'failed',
    cause: { code: 'process_exited', signal: 'SIGSEGV' },
  });
  expect((await run('python', '1/0')).done.cause).toMatchObject({ exitCode: 1 });
});

test('runs TypeScript in Node and finds modules of the workspace, without a warning about their type', async () => {
  await write('typed/part.ts', 'export const six: number = 6;');
  const filename = await write(
    'typed/main.ts',
    `import { six } from './part.ts';\nconsole.log((await six) * (7 as number));`,
  );
  expect(await agent.runJob({ language: 'node', filename })).toMatchObject({ stdout: '42\n', stderr: '' });
  await write('helper.py', 'answer = 42');
  const script = await write('uses-helper.py', 'import helper; print(helper.answer)');
  const job = await agent.runJob({ language: 'python', filename: script });
  expect([job.stdout, job.stderr, changesOf(job)]).toEqual(['42\n', '', []]);
});

test.for(['python', 'node', 'bun', 'bash'] as const)(
  'takes no file name for an option or a command of %s',
  async (language) => {
    const code = language === 'python' || language === 'bash' ? 'echo=1' : 'var echo = 1';
    for (const filename of ['-c', '--version', '-', 'inspect', 'x y']) {
      const job = await agent.runJob({ language, filename: await write(filename, code) });
      expect([filename, job.stdout, job.stderr, job.done.cause]).toEqual([filename, '', '', null]);
    }
  },
);

test('streams output while the job runs, in whole characters', async () => {
  const filename = await write('streams.py', `import os, sys\nos.write(1, b'a\\xc3')\nos.read(3, 1)`);
  const waits = await write('waits.sh', `mkfifo gate; exec 3<>gate; printf 'a\\303'; read -u 3; printf '\\244b'`);
  expect((await agent.runJob({ language: 'python', filename })).stdout).toBe('a\ufffd');
  const { jobId, frames } = await agent.openJob({ language: 'bash', filename: waits });
  expect((await readTo(frames, 'stdout')).text).toBe('a');
  execFileSync('sh', ['-c', 'echo go > "$0/gate"', agent.workspace]);
  expect(report(jobId, await all(frames)).stdout).toBe('äb');
});

test('sends both ends of a flood in frames, and stores the whole of it', async () => {
  const job = await run('bash', 'head -c 5000000 /dev/zero | tr "\\0" x; echo end');
  expect(job.stdout.length).toBeLessThan(100_000 + 65_536 + frameHeaderBytes);
  expect(job.stdout.endsWith('xend\n')).toBe(true);
  const whole = await agent.send('GET', `/v1/steps/${job.stepId}/output/stdout`);
  expect([(await whole.text()).length, whole.headers.get('holdfast-output')]).toEqual([5_000_004, 'whole']);
});

test("gives a job the session's variables, which its own override", async () => {
  const env = { MINE: 'session', BOTH: 'session' };
  expect((await agent.call('PUT', '/v1/session', { language: 'node', env, prestart: false })).status).toBe(200);
  const job = await run('bash', 'echo $MINE $BOTH', { env: { BOTH: 'job' } });
  expect(job.stdout).toBe('session job\n');
  expect((await agent.call('GET', '/v1/contexts')).body).toEqual({ contexts: [] });
});

test('runs an id once, and its job can be followed, interrupted and acknowledged like a step', async () => {
  const filename = await write('once.sh', 'echo ran >> ran; echo up; sleep 60');
  const request = { jobId: newId('job'), language: 'bash', filename, args: [], stdin: '', timeoutMs: 60_000 };
  const { frames } = await agent.openJob(request as JobRequest);
  await readTo(frames, 'stdout');
  expect(await agent.call('POST', '/v1/jobs', request)).toMatchObject({ status: 409, body: { code: 'step-repeated' } });
  const listed = { steps: expect.arrayContaining([{ stepId: request.jobId, state: 'running' }]) };
  expect((await agent.call('GET', '/v1/steps')).body).toEqual(listed);
  const attached = await agent.attach(request.jobId);
  expect((await agent.call('POST', `/v1/steps/${request.jobId}/interrupt`)).body).toEqual({ state: 'running' });
  const { done, stdout } = report(request.jobId, await all(attached));
  expect(stdout).toBe('up\n');
  expect(done).toMatchObject({ status: 'interrupted', cause: { code: 'interrupt', signal: 'SIGINT' } });
  await all(frames);
  await agent.call('POST', '/v1/acks', { stepIds: [request.jobId] });
  expect(await agent.call('POST', `/v1/steps/${request.jobId}/attach`, { after: 0 })).toMatchObject({ status: 409 });
});

test('rejects a path that is not a regular file of the workspace, and leaves the id free', async () => {
  mkdirSync(join(agent.workspace, 'directory'));
  execFileSync('mkfifo', [join(agent.workspace, 'fifo')]);
  symlinkSync('/etc/passwd', join(agent.workspace, 'leads-out'));
  symlinkSync(await write('target.sh', 'echo linked'), join(agent.workspace, 'link'));
  const jobId = newId('job');
  const ask = (filename: string) =>
    agent.call('POST', '/v1/jobs', { jobId, language: 'bash', filename, args: [], stdin: '', timeoutMs: 1000 });
  const codes = [];
  for (const filename of ['missing', 'directory', 'fifo', 'leads-out', '../x', '/etc/passwd', 'a\0b']) {
    codes.push((await ask(filename)).body.code);
  }
  const [lost, conflict, invalid] = ['not-found', 'path-conflict', 'invalid-request'];
  expect(codes).toEqual([lost, conflict, conflict, 'outside-workspace', invalid, invalid, invalid]);
  expect((await agent.runJob({ jobId, language: 'bash', filename: 'link' })).stdout).toBe('linked\n');
});

test('fails only the job, with the reason, if its program cannot be started', async () => {
  const filename = await write('never.sh', 'echo ran');
  for (const odd of [{ args: ['x'.repeat(200_000)] }, { args: ['a\0b'] }]) {
    const job = await agent.runJob({ language: 'bash', filename, ...odd });
    expect(job.done).toMatchObject({ status: 'failed', cause: { code: 'never_started' } });
    expect(job.frames.map(({ type }) => type)).toEqual(['started', 'error', 'done']);
  }
  expect((await agent.runJob({ language: 'bash', filename })).stdout).toBe('ran\n');
});
