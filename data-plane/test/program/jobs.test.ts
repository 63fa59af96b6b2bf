import { type JobLanguage, jobLanguageSchema } from '@holdfast/specs/public';
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
    expect(job.durationMs).toBeLessThan(20_000);
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
    const types = new Set<string>();
    let last: unknown;
    for await (const event of jobs.streamJob({ sessionId, language, code: program.waits })) {
      types.add(event.type);
      last = event;
      if (event.type === 'stdout') await put('go', '');
    }
    expect(last).toMatchObject({ type: 'finished', step: { job: { exitCode: 0, timedOut: false } } });
    expect([...types]).toEqual(['started', 'stdout', 'artifact', 'finished']);
    await holdfast.request('DELETE', `/v1/sessions/${sessionId}/files/go`);
  });
});

describe('a job in a given session', () => {
  test("works on the session's files beside a running context, and both report the changes as concurrent", async () => {
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
      concurrent: true,
      change: 'created',
    });
    await put('go', '', id);
    await eventually(async () => {
      const [ended] = await holdfast.history(id);
      const paths = ended?.artifacts.map(({ path }) => path);
      expect([ended?.status, paths]).toEqual(['succeeded', expect.arrayContaining(['by-job'])]);
      // The program has come and gone, and is nothing that the step made.
      expect(paths).not.toContain(`${job.id}.sh`);
    });
    expect(await filesOf(id)).toEqual(['by-job', 'go', 'shared.txt']);
  });

  test('deletes its program afterwards, unless the request named it', async () => {
    const { id } = await holdfast.createSession();
    const nameless = await jobs.runJob({ sessionId: id, language: 'bash', code: 'basename "$0"' });
    expect(nameless.stdout).toBe(`${nameless.id}.sh\n`);
    expect(await filesOf(id)).toEqual([]);
    expect(await installation.database.db.sql`select path from world_files where session_id = ${id}`).toEqual([]);
    expect(await jobs.download(nameless.artifacts.inputs[`${nameless.id}.sh`])).toMatchObject({
      text: 'basename "$0"',
    });
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
