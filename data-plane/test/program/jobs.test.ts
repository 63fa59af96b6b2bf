import { type JobLanguage, jobLanguageSchema, type StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { jobClient } from '../support/job-client.ts';
import { jobPrograms } from '../support/job-programs.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let jobs: ReturnType<typeof jobClient>;
let sessionId: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  jobs = jobClient(holdfast);
  sessionId = (await holdfast.createSession()).id;
});

afterAll(() => installation[Symbol.asyncDispose]());

const put = (path: string, text: string, id = sessionId) =>
  fetch(`${holdfast.url}/v1/sessions/${id}/files/${path}`, { method: 'PUT', body: text });
const filesOf = async (id = sessionId): Promise<string[]> =>
  (await holdfast.request('GET', `/v1/sessions/${id}/files?depth=8`)).body.items.map(
    ({ path }: { path: string }) => path,
  );

describe.each(jobLanguageSchema.options)('a job in %s', (language: JobLanguage) => {
  const program = jobPrograms[language];

  test('returns its exit code, and its stdout and stderr apart', async () => {
    const job = await jobs.runJob({ sessionId, language, code: program.exits });
    expect(job).toMatchObject({ sessionId, language, status: 'failed', exitCode: 3, signal: null, timedOut: false });
    expect([job.stdout, job.stderr]).toEqual(['out\n', 'err\n']);
    expect(await jobs.download(job.artifacts.outputs['stdout.txt'])).toEqual({
      status: 200,
      text: 'out\n',
      type: 'text/plain; charset=utf-8',
    });
    expect(await jobs.download(job.artifacts.outputs['stderr.txt'])).toMatchObject({ text: 'err\n' });
  });

  test('returns the signal that killed it', async () => {
    const job = await jobs.runJob({ sessionId, language, code: program.dies });
    expect(job).toMatchObject({ status: 'failed', exitCode: null, signal: 'SIGKILL', timedOut: false });
  });

  test('ends at its timeout', async () => {
    const job = await jobs.runJob({ sessionId, language, code: program.sleeps, timeoutSeconds: 0.5 });
    expect(job).toMatchObject({ status: 'timed_out', timedOut: true });
    expect(job.durationMs).toBeGreaterThan(400);
  });

  test('gets stdin, arguments, environment and files, and its new files are stored', async () => {
    const folder = `${language}-echo`;
    const job = await jobs.runJob({
      language,
      filename: 'echo',
      code: program.echoes,
      files: { 'in.txt': `in ${folder}` },
      args: ['a b', '--c=ü'],
      env: { COLOR: 'red' },
      stdin: 'said',
    });
    expect(job).toMatchObject({ exitCode: 0, status: 'succeeded', stdout: `said|a b,--c=ü|red|in ${folder}` });
    expect(Object.keys(job.artifacts.inputs).toSorted()).toEqual(['echo', 'in.txt']);
    expect(Object.keys(job.artifacts.outputs).toSorted()).toEqual(['made.txt', 'stderr.txt', 'stdout.txt']);
    expect(job.artifacts.omissions).toEqual({});
    expect(await jobs.download(job.artifacts.outputs['made.txt'])).toMatchObject({ status: 200, text: 'made' });
    expect(await jobs.download(job.artifacts.inputs.echo)).toMatchObject({ status: 200, text: program.echoes });
    expect(await jobs.download(job.artifacts.outputs['stderr.txt'])).toMatchObject({ status: 200, text: '' });
  });

  test('streams its output while it runs', async () => {
    const events: StepEvent[] = [];
    for await (const event of jobs.streamJob({ sessionId, language, code: program.waits })) {
      events.push(event);
      if (event.type === 'stdout') await put('go', '');
    }
    expect(events.at(-1)).toMatchObject({ step: { job: { exitCode: 0, timedOut: false } } });
    expect([...new Set(events.map(({ type }) => type))]).toEqual(['started', 'stdout', 'artifact', 'finished']);
    await holdfast.request('DELETE', `/v1/sessions/${sessionId}/files/go`);
  });
});

describe('a job in a given session', () => {
  test("works on the session's files beside a running context, and each reports its own changes", async () => {
    const { id } = await holdfast.createSession();
    await put('shared.txt', 'from the host', id);
    const step = holdfast.streamStep(id, {
      code: 'import os, time\nprint("on", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.02)',
    });
    for await (const event of step) if (event.type === 'stdout') break;
    const job = await jobs.runJob({ sessionId: id, language: 'bash', code: 'cat shared.txt; echo 1 > by-job' });
    expect(job.stdout).toBe('from the host');
    const history = await holdfast.history(id);
    expect(history.find((one) => one.id === job.id)?.artifacts.find(({ path }) => path === 'by-job')).toMatchObject({
      concurrent: false,
      change: 'created',
    });
    await put('go', '', id);
    await eventually(async () => {
      const [ended] = await holdfast.history(id);
      const paths = ended?.artifacts.map(({ path }) => path);
      expect(ended?.status).toBe('succeeded');
      // The program has come and gone, and is nothing that the step made.
      for (const path of ['by-job', `${job.id}.sh`]) expect(paths).not.toContain(path);
    });
    expect(await filesOf(id)).toEqual(['by-job', 'go', 'shared.txt']);
  });

  test.each([
    ['python', 'import helper, sys; print(helper.name, sys.argv[1:])', "helper ['a']\n"],
    ['node', 'import { name } from "./helper.mjs"; console.log(name, process.argv.slice(2))', "helper [ 'a' ]\n"],
    ['node', 'const { name } = require("./helper.cjs"); console.log(name, require("made").name)', 'helper made\n'],
    [
      'bash',
      'source ./helper.sh; echo $name; ls',
      'helper\nhelper.cjs\nhelper.mjs\nhelper.py\nhelper.sh\nnode_modules\n',
    ],
  ] as const)(
    'in %s its program lies outside the workspace and finds what is there',
    async (language, code, stdout) => {
      const { id } = await holdfast.createSession();
      const files = {
        'helper.py': 'name = "helper"',
        'helper.mjs': 'export const name = "helper"',
        'helper.cjs': 'exports.name = "helper"',
        'helper.sh': 'name=helper',
        'node_modules/made/index.js': 'exports.name = "made"',
      };
      const job = await jobs.runJob({ sessionId: id, language, code, files, args: ['a'] });
      expect(job).toMatchObject({ status: 'succeeded', stdout });
      expect(Object.keys(job.artifacts.inputs).toSorted()).toEqual(Object.keys(files).toSorted());
      const outputs = Object.keys(job.artifacts.outputs).filter((path) => !path.startsWith('__pycache__'));
      expect(outputs.toSorted()).toEqual(['stderr.txt', 'stdout.txt']);
    },
  );

  test('writes its program to the workspace if the request names it', async () => {
    const { id } = await holdfast.createSession();
    await jobs.runJob({ sessionId: id, language: 'bash', code: 'true', filename: 'tools/run.sh', files: { a: '1' } });
    expect(await filesOf(id)).toEqual(['a', 'tools', 'tools/run.sh']);
  });

  test('appears in the history as a step without a context, and is replayed like one', async () => {
    const { id } = await holdfast.createSession();
    await holdfast.runStep(id, { code: 'x = 1' });
    const job = await jobs.runJob({
      sessionId: id,
      language: 'python',
      code: 'print(1)',
      args: ['a'],
      filename: 'p.py',
    });
    const [, step] = await holdfast.history(id);
    expect(step).toMatchObject({
      id: job.id,
      number: 2,
      contextId: null,
      contextEpoch: null,
      executionCount: null,
      code: 'print(1)',
      stdout: '1\n',
      job: { filename: 'p.py', args: ['a'], exitCode: 0, signal: null, timedOut: false },
    });
    expect((await holdfast.request('GET', `/v1/sessions/${id}/steps/${job.id}`)).body).toEqual(step);
    const replayed = [];
    for await (const event of holdfast.followStep(id, job.id)) replayed.push(event);
    expect(replayed.map(({ seq }) => seq)).toEqual(replayed.map((_, index) => index + 1));
    expect(replayed.at(-1)).toMatchObject({ type: 'finished', step: { id: job.id } });
    const { body } = await holdfast.request('GET', `/v1/sessions/${id}/context`);
    expect(body.contexts).toMatchObject([{ contextId: 'python', combinedCode: 'x = 1' }]);
  });

  test('is interrupted like a step', async () => {
    const stream = jobs.streamJob({ sessionId, language: 'bash', code: 'echo on; sleep 60' });
    let end: unknown;
    for await (const event of stream) {
      if (event.type === 'stdout')
        await holdfast.request('POST', `/v1/sessions/${sessionId}/steps/${event.stepId}/interrupt`);
      if (event.type === 'finished') end = event.step;
    }
    expect(end).toMatchObject({ status: 'interrupted', stdout: 'on\n', job: { timedOut: false } });
  });

  test('stores all of its output in stdout.txt, even if the events show less', async () => {
    const job = await jobs.runJob({ sessionId, language: 'bash', code: 'yes 0123456789 | head -c 20000000' });
    expect(job).toMatchObject({ truncated: true, exitCode: 0 });
    expect(job.stdout?.length).toBeLessThan(20_000_000);
    const { text } = await jobs.download(job.artifacts.outputs['stdout.txt']);
    expect(text.length).toBe(20_000_000);
    expect(text.replaceAll('0123456789\n', '')).toMatch(/^\d{0,10}$/);
  });

  test('is rejected if the session is unknown, if a path leaves the workspace, or if a file is in the way', async () => {
    const refused = async (body: object) => {
      const answer = await holdfast.request('POST', '/v1/run', { language: 'bash', code: 'true', ...body });
      return [answer.status, answer.body.code];
    };
    const { id } = await holdfast.createSession();
    await jobs.runJob({ sessionId: id, language: 'bash', code: 'ln -s /tmp out; mkdir folder' });
    expect(await refused({ sessionId: 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v' })).toEqual([404, 'not-found']);
    expect(await refused({ sessionId: id, filename: 'out/x.sh' })).toEqual([403, 'outside-workspace']);
    expect(await refused({ sessionId: id, files: { folder: '' } })).toEqual([409, 'path-conflict']);
    // Nothing of those is in the history.
    expect(await holdfast.history(id)).toHaveLength(1);
    await holdfast.request('DELETE', `/v1/sessions/${id}`);
    expect(await refused({ sessionId: id })).toEqual([410, 'session-ended']);
  });
});
