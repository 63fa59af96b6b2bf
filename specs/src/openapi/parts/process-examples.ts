import type { Process, ProcessEvent, ProcessSummary } from '../../public/process.ts';
import { sessionId } from './examples.ts';

export const processId = 'prc_01kaf42b3c4d5e6f7g8h9j0k1m';

export const process: Process = {
  id: processId,
  sessionId,
  number: 1,
  epoch: 1,
  pid: 212,
  command: ['git', 'status', '--short'],
  cwd: '/workspace',
  terminal: null,
  actor: 'agent',
  actorName: null,
  status: 'exited',
  exitCode: 0,
  signal: null,
  cause: null,
  stdout: ' M app.py\n',
  stderr: '',
  truncated: false,
  usage: { cpuSeconds: 0.004, memoryBytesMax: 5_242_880 },
  startedAt: '2026-02-03T10:15:30.000Z',
  finishedAt: '2026-02-03T10:15:30.012Z',
};

const { stdout: _, stderr: __, truncated: ___, ...listed } = process;
export const summary: ProcessSummary = listed;

export const running: Process = {
  ...process,
  command: 'npm run dev',
  status: 'running',
  exitCode: null,
  stdout: '',
  usage: null,
  finishedAt: null,
};

const place = { sessionId, processId };

export const processEvents: ProcessEvent[] = [
  { type: 'stdout', text: ' M app.py\n', seq: 11, ...place },
  { type: 'finished', process, seq: 12, ...place },
];
