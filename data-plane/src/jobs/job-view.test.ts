import type { Artifact, Step } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { jobView } from './job-view.ts';

const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';
const id = 'job_01kaf3xq5t7e8m9n0p1r2s3t4v';
const at = '2026-01-15T10:00:00.000Z';
const files = `/v1/artifacts/${sessionId}/${id}`;

const artifact = (role: Artifact['role'], path: string, part: Partial<Artifact> = {}): Artifact => ({
  id: 'art_01kaf3xq5t7e8m9n0p1r2s3t4v',
  path,
  role,
  change: 'created',
  size: 1,
  sha256: 'ab',
  mimeType: 'text/plain',
  concurrent: false,
  omission: null,
  url: '/somewhere',
  stepId: id,
  createdAt: at,
  ...part,
});

const step = (artifacts: Artifact[]): Step => ({
  id,
  sessionId,
  contextId: null,
  number: 1,
  epoch: 1,
  contextEpoch: null,
  actor: 'agent',
  actorName: null,
  language: 'bash',
  code: 'exit 3',
  status: 'failed',
  outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: true },
  stdout: 'out',
  stderr: 'err',
  truncated: false,
  results: [],
  error: null,
  cause: { code: 'process_exited', exitCode: 3 },
  artifacts,
  proposals: [],
  operations: [],
  job: { filename: 'main.sh', args: [], exitCode: 3, signal: null, timedOut: false },
  executionCount: null,
  queuedAt: at,
  startedAt: at,
  finishedAt: at,
  tokensUsed: null,
  budgetRemaining: null,
  durationMs: 5,
  usage: null,
});

const plain = { inline: false, sign: (url: string) => url };

test('a job shows how it ended, and includes its output if the client asks for it', () => {
  const view = jobView(step([]), plain);
  expect(view).toMatchObject({ id, sessionId, language: 'bash', status: 'failed', exitCode: 3, durationMs: 5 });
  expect(view).not.toHaveProperty('stdout');
  expect(jobView(step([]), { ...plain, inline: true })).toMatchObject({ stdout: 'out', stderr: 'err' });
});

test('groups files by their role, and gives each a URL that names the role', () => {
  const { artifacts } = jobView(
    step([artifact('input', 'a b/ü.csv'), artifact('output', 'a b/ü.csv'), artifact('stderr', 'stderr.txt')]),
    plain,
  );
  expect(artifacts).toEqual({
    inputs: { 'a b/ü.csv': `${files}/a%20b/%C3%BC.csv?role=input` },
    outputs: { 'a b/ü.csv': `${files}/a%20b/%C3%BC.csv`, 'stderr.txt': `${files}/stderr.txt` },
    omissions: {},
  });
});

test('a file that was deleted or not stored has no URL, and one that was not stored has a reason', () => {
  const { artifacts } = jobView(
    step([
      artifact('output', 'gone', { change: 'deleted', url: null }),
      artifact('output', 'huge', { omission: 'too-large', url: null }),
      artifact('output', '', { omission: 'too-many', url: null }),
    ]),
    plain,
  );
  expect(artifacts).toEqual({ inputs: {}, outputs: {}, omissions: { huge: 'too-large', '*': 'too-many' } });
});

test('signs every URL of an answer, including that of a file called __proto__', () => {
  const sign = (url: string) => `${url}#signed`;
  const { artifacts } = jobView(step([artifact('output', '__proto__'), artifact('input', 'b')]), { ...plain, sign });
  expect(JSON.stringify(artifacts)).toBe(
    `{"inputs":{"b":"${files}/b?role=input#signed"},"outputs":{"__proto__":"${files}/__proto__#signed"},"omissions":{}}`,
  );
});
