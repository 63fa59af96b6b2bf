/** Values that all examples share, so that they read as one story. */
const time = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`;

export const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';
export const stepId = 'stp_01kaf3y2bw4x5y6z7a8b9cdefg';
export const artifactId = 'art_01kaf3yk5r6s7t8v9w0x1y2z3a';
export const contextId = 'ctx_01kaf3z7hj8k9m0n1p2q3r4s5t';
export const apiKeyId = 'key_01kaf40d6e7f8g9h0j1k2m3n4p';

export const session = {
  id: sessionId,
  status: 'active',
  language: 'python',
  runtime: 'process',
  network: 'internet',
  profile: 'default',
  epoch: 1,
  metadata: { project: 'demo' },
  timeoutSeconds: 86_400,
  idleTimeoutSeconds: 3600,
  stepCount: 0,
  createdAt: time(0),
  updatedAt: time(0),
  lastActivityAt: time(0),
  expiresAt: '2026-01-16T10:00:00.000Z',
  endedAt: null,
  endReason: null,
  endMessage: null,
};

export const step = {
  id: stepId,
  sessionId,
  contextId: 'python',
  number: 2,
  epoch: 1,
  contextEpoch: 1,
  actor: 'agent',
  language: 'python',
  code: 'x + 1',
  status: 'succeeded',
  outcome: { tag: 'ok' },
  stdout: '',
  stderr: '',
  truncated: false,
  results: [{ data: { 'text/plain': '42' }, metadata: {}, isMain: true }],
  error: null,
  cause: null,
  artifacts: [],
  job: null,
  executionCount: 2,
  queuedAt: time(7),
  startedAt: time(7),
  finishedAt: time(7),
  durationMs: 1,
};

export const jobId = 'job_01kaf3y9c5d6e7f8g9h0j1k2m3';
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
  signal: null,
  timedOut: false,
  durationMs: 21,
  truncated: false,
  stdout: '1 2 3 a\n',
  stderr: '',
  artifacts: {
    inputs: { 'main.py': `${jobFiles}/main.py?role=input`, 'numbers.txt': `${jobFiles}/numbers.txt?role=input` },
    outputs: { 'stdout.txt': `${jobFiles}/stdout.txt`, 'stderr.txt': `${jobFiles}/stderr.txt` },
    omissions: {},
  },
};

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
export const writtenFile = {
  path: 'plots/data.csv',
  size: 4,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const context = {
  id: contextId,
  language: 'node',
  isDefault: false,
  contextEpoch: 1,
  state: 'idle',
  cwd: '.',
  createdAt: time(9),
};

export const codeAtCursor = { code: 'text = "a"\ntext.upp', cursor: 19 };
export const completions = { matches: [{ text: 'upper', kind: 'function' }], start: 16, end: 19 };
export const inspection = {
  found: true,
  data: { 'text/plain': 'str.upper()\n\nReturn a copy converted to uppercase.' },
};
export const background = {
  items: [{ seq: 1, time: time(8), stepId, stream: 'stdout', text: 'still at it\n' }],
  droppedBytes: 0,
};

export const apiKey = {
  id: apiKeyId,
  tenant: 'acme',
  scopes: ['run'],
  name: 'ci',
  createdAt: time(0),
  revokedAt: null,
};

const event = (type: string, seq: number, rest: object) => ({
  type,
  seq,
  time: time(7),
  sessionId,
  stepId,
  contextEpoch: 1,
  actor: 'agent',
  ...rest,
});
export const events = [event('started', 1, { executionCount: 2 }), event('stdout', 2, { text: 'a\n' })];
