import { framesIn } from '@holdfast/specs/agent';
import type { Process, ProcessSummary } from '@holdfast/specs/public';
import type { ProcessRow } from '../registry/schema/processes.ts';

/** The output of a process as far as it is known. */
export type ProcessOutput = { stdout: Buffer; stderr: Buffer; truncated: boolean };

/** The process without its output. Pure. */
export function processSummary(row: Omit<ProcessRow, 'log'>): ProcessSummary {
  return {
    id: row.id,
    sessionId: row.sessionId,
    number: row.number,
    epoch: row.epoch,
    pid: row.pid,
    command: row.command,
    cwd: row.cwd,
    terminal: row.terminal,
    actor: row.actor,
    actorName: row.actorName,
    status: row.status,
    exitCode: row.exitCode,
    signal: row.signal,
    cause: row.cause,
    usage: row.usage,
    startedAt: row.startedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

/** The public process. `output` is that of one that still runs. Pure. */
export function processView(row: ProcessRow, output: ProcessOutput = recordedOutput(row)): Process {
  return {
    ...processSummary(row),
    stdout: output.stdout.toString(),
    stderr: output.stderr.toString(),
    truncated: output.truncated,
  };
}

/** Pure. */
export function recordedOutput({ log, truncated }: Pick<ProcessRow, 'log' | 'truncated'>): ProcessOutput {
  const streams = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const { type, payload } of log ? framesIn(log) : [])
    if (type === 'stdout' || type === 'stderr') streams[type].push(payload);
  return { stdout: Buffer.concat(streams.stdout), stderr: Buffer.concat(streams.stderr), truncated };
}
