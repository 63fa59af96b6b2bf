import { policyPresets } from '../../public/policy.ts';

/** The examples share these values, so they read as one story. */
export const time = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`;

export const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';
export const stepId = 'stp_01kaf3y2bw4x5y6z7a8b9cdefg';
export const contextId = 'ctx_01kaf3z7hj8k9m0n1p2q3r4s5t';
export const operationId = 'op_01kaf3y4ck5m6n7p8q9r0s1t2v';
export const apiKeyId = 'key_01kaf40d6e7f8g9h0j1k2m3n4p';

export const shareId = 'shr_01kaf45m6n7p8q9r0s1t2v3w4x';
export const portId = 'prt_01kaf45m6n7p8q9r0s1t2v3w4y';

export const session = {
  id: sessionId,
  status: 'active',
  language: 'python',
  runtime: 'process',
  network: 'internet',
  profile: 'default',
  epoch: 1,
  metadata: { project: 'demo' },
  clientKey: null,
  timeoutSeconds: 86_400,
  idleTimeoutSeconds: 3600,
  policy: { preset: 'unrestricted', ...policyPresets.unrestricted },
  recovery: 'off',
  onIdle: 'end',
  lostReason: null,
  lostMessage: null,
  lastRecovery: null,
  budget: null,
  webhooks: [],
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
  actorName: null,
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
  proposals: [],
  operations: [],
  job: null,
  executionCount: 2,
  queuedAt: time(7),
  startedAt: time(7),
  finishedAt: time(7),
  durationMs: 1,
  usage: { cpuSeconds: 0.000412, memoryBytesMax: 31_457_280 },
  tokensUsed: null,
  budgetRemaining: null,
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
  items: [{ seq: 1, time: time(8), stepId, stream: 'stdout', text: 'still working\n' }],
  droppedBytes: 0,
};

export const comm = { commId: '6d1f…', data: { method: 'update', state: { value: 7 } } };
export const commStep = { ...step, actor: 'user', code: '', results: [] };

export const apiKey = {
  id: apiKeyId,
  tenant: 'acme',
  scopes: ['run'],
  name: 'ci',
  actor: null,
  actorName: null,
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
