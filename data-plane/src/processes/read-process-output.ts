import type { IncomingHttpHeaders } from 'node:http';
import { outputOffsetHeader } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { AgentClient, AgentRelay } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { ProcessRow } from '../registry/schema/processes.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { type FindDependencies, findKnownProcess, type ProcessKey } from './find-known-process.ts';
import { recordedOutput } from './process-view.ts';

export type OutputDependencies = FindDependencies & {
  agents: Pick<AgentClient, 'relay'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

type OutputInput = ProcessKey &
  Pick<AgentRelay, 'onChunk' | 'signal'> & {
    stream: 'stdout' | 'stderr';
    /** The byte of the stream with which to begin. */
    offset: number;
    /** Called first, with the byte with which the answer begins: later than asked for if those before it are not kept. */
    onStart(offset: number): void;
  };

/**
 * The bytes of one stream of a process that are there now: from its sandbox, as far as that still has them, or from the record.
 * @throws Problem 404, 410 `output-gone`, 502, 503
 */
export async function readProcessOutput(
  deps: OutputDependencies,
  { stream, offset, onStart, ...input }: OutputInput,
): Promise<void> {
  const row = await findKnownProcess(deps, input);
  const isAtAgent = await relayed(deps, { ...input, row, stream, offset, onStart });
  if (isAtAgent) return;
  if (!row.finishedAt || row.truncated) {
    const detail = `the sandbox of process ${row.id} does not have its output any more; the process itself shows the beginning and the end`;
    throw new Problem('output-gone', { detail });
  }
  const bytes = recordedOutput(row)[stream].subarray(offset);
  onStart(offset);
  if (bytes.length > 0) await input.onChunk(bytes);
}

type Relayed = OutputInput & { row: ProcessRow };

/** Whether the agent has answered. */
async function relayed(
  deps: OutputDependencies,
  { row, caller, stream, offset, onStart, onChunk, signal }: Relayed,
): Promise<boolean> {
  if (row.finishedAt && !row.truncated) return false;
  const path = `/v1/processes/${row.id}/output/${stream}?offset=${offset}`;
  const onHeaders = (headers: IncomingHttpHeaders) => onStart(offsetIn(headers, offset));
  try {
    const route = await deps.routes.resolve({ sessionId: row.sessionId, tenant: caller.tenant });
    if (route.epoch !== row.epoch) return false;
    await deps.agents.relay(route, { path, headers: {}, onHeaders, onChunk, signal });
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AgentError && error.slug === 'not-found') return false;
    // A session that has no sandbox now has no output in it either.
    if (error instanceof Problem && row.finishedAt) return false;
    throw agentProblem(deps, { sessionId: row.sessionId, error });
  }
}

function offsetIn(headers: IncomingHttpHeaders, asked: number): number {
  const offset = Number(headers[outputOffsetHeader]);
  return Number.isSafeInteger(offset) && offset >= asked ? offset : asked;
}
