import { Problem } from '@holdfast/specs/public';
import type { AgentClient, OnFrames } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { ByteBudget } from '../../agent/byte-budget.ts';
import type { ProcessRow } from '../../registry/schema/processes.ts';
import type { Route, Routes } from '../../sessions/sandbox-routes.ts';
import { FrameFlow } from './frame-flow.ts';
import { type LogPiece, pieceOf } from './log-piece.ts';

export type AgentLogDependencies = {
  agents: Pick<AgentClient, 'stream'>;
  routes: Pick<Routes, 'resolve'>;
  byteBudget: Pick<ByteBudget, 'openCopy'>;
  hint(sessionId: string): void;
};

type Reading = {
  row: ProcessRow;
  tenant: string;
  /** The place up to which the reader has everything. */
  after: number;
  signal: AbortSignal;
};

/** `end`: the process has ended, and the reader has everything. `gone`: the agent does not have the log any more. `broken`: asking again may tell more. */
export type AgentLogOutcome = 'end' | 'gone' | 'broken';

/**
 * The log of a process from its agent, no faster than it is read.
 * @throws Problem 429 if the memory is needed for something else
 */
export async function* readFromAgent(
  deps: AgentLogDependencies,
  { row, tenant, after, signal }: Reading,
): AsyncGenerator<LogPiece, AgentLogOutcome, undefined> {
  const route = await routeOf(deps, { row, tenant });
  if (typeof route === 'string') return route;
  const stop = new AbortController();
  const flow = new FrameFlow();
  const share = deps.byteBudget.openCopy(() => flow.end(tooManyReaders()));
  const onFrames: OnFrames = (frames, heldBytes) => {
    share.set(heldBytes + frames.reduce((sum, { bytes }) => sum + bytes.length, 0));
    return frames.length > 0 ? flow.push(frames) : undefined;
  };
  const body = { after, output: 'all', paced: true };
  const path = `/v1/processes/${row.id}/attach`;
  const onEnd = AbortSignal.any([signal, stop.signal]);
  deps.agents.stream(route, { path, body, onFrames, signal: onEnd, isWatched: true }).then(
    () => flow.end(),
    (error) => flow.end(error),
  );
  let at = after;
  try {
    for (let frames = await flow.take(); frames; frames = await flow.take()) {
      for (const frame of frames) {
        if (frame.type === 'done') return 'end';
        const piece = pieceOf(frame, at);
        if (!piece) continue;
        at = piece.position;
        yield piece;
      }
    }
    return 'broken';
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    if (error.kind === 'refused' || error.kind === 'invalid') return 'gone';
    if (!signal.aborted) deps.hint(row.sessionId);
    return 'broken';
  } finally {
    stop.abort();
    share.close();
  }
}

/** The route of the sandbox in which the process runs or has run. */
async function routeOf(
  { routes }: Pick<AgentLogDependencies, 'routes'>,
  { row, tenant }: Pick<Reading, 'row' | 'tenant'>,
): Promise<Route | 'gone' | 'broken'> {
  // The record has all of it.
  if (row.finishedAt && !row.truncated) return 'gone';
  try {
    const route = await routes.resolve({ sessionId: row.sessionId, tenant });
    return route.epoch === row.epoch ? route : 'gone';
  } catch (error) {
    // Without a sandbox of its own a session has no log either.
    return error instanceof Problem && error.slug !== 'database-unavailable' ? 'gone' : 'broken';
  }
}

const tooManyReaders = () =>
  new Problem('quota-exceeded', {
    detail: 'this replica has no memory left for readers of the process; read on after the last event that you have',
    retryAfterSeconds: 1,
  });
