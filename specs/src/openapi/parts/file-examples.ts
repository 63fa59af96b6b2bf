import { sessionId, stepId, time } from './examples.ts';

export const artifactId = 'art_01kaf3yk5r6s7t8v9w0x1y2z3a';
export const jobId = 'job_01kaf3y9c5d6e7f8g9h0j1k2m3';

export const artifact = {
  id: artifactId,
  path: 'plots/plot.png',
  role: 'output',
  change: 'created',
  size: 18_231,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  mimeType: 'image/png',
  concurrent: false,
  omission: null,
  url: `/v1/sessions/${sessionId}/artifacts/${artifactId}/content`,
  stepId,
  createdAt: time(7),
};

export const fileEntry = { path: 'plots/data.csv', kind: 'file', size: 4, modifiedAt: time(3) };
export const fileStat = {
  path: '/tmp/latest',
  kind: 'link',
  size: 0,
  modifiedAt: time(3),
  mode: '0777',
  uid: 1000,
  gid: 1000,
  owner: 'user',
  group: null,
  linkTarget: 'build-7',
  changedAt: time(3),
  accessedAt: time(4),
};
export const fileEvent = { type: 'modified', path: 'src/index.ts' };
export const fileLink = {
  path: 'plots/data.csv',
  operation: 'read',
  url: `/v1/sessions/${sessionId}/files/plots/data.csv?operation=read&expires=1768474800&signature=LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ`,
  expiresAt: '2026-01-15T11:00:00.000Z',
};
export const writtenFile = {
  path: 'plots/data.csv',
  size: 4,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const runJob = {
  language: 'python',
  code: 'import sys\nprint(open("numbers.txt").read(), sys.argv[1])',
  files: { 'numbers.txt': '1 2 3' },
  args: ['a'],
};
const jobFiles = `/v1/artifacts/${sessionId}/${jobId}`;
export const job = {
  sessionId,
  id: jobId,
  language: 'python',
  status: 'succeeded',
  exitCode: 0,
  cause: null,
  signal: null,
  timedOut: false,
  durationMs: 21,
  usage: { cpuSeconds: 0.018, memoryBytesMax: 10_485_760 },
  truncated: false,
  stdout: '1 2 3 a\n',
  stderr: '',
  artifacts: {
    inputs: { 'numbers.txt': `${jobFiles}/numbers.txt?role=input` },
    outputs: { 'stdout.txt': `${jobFiles}/stdout.txt`, 'stderr.txt': `${jobFiles}/stderr.txt` },
    omissions: {},
  },
};
