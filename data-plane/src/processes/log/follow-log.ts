import { setTimeout as delay } from 'node:timers/promises';
import { framesIn, positionOf } from '@holdfast/specs/agent';
import { findProcess } from '../../registry/processes/find-process.ts';
import type { ProcessRow } from '../../registry/schema/processes.ts';
import { keepActive } from '../../sessions/keep-active.ts';
import { type FindDependencies, findKnownProcess, type ProcessKey } from '../find-known-process.ts';
import { untilEnded } from '../get-process.ts';
import { type LogPiece, recordedPieces } from './log-piece.ts';
import { type AgentLogDependencies, type AgentLogOutcome, readFromAgent } from './read-from-agent.ts';

export type LogDependencies = FindDependencies & AgentLogDependencies;

type LogInput = ProcessKey & {
  /** The place up to which the reader has everything. */
  after: number;
  signal: AbortSignal;
};

/** The last thing that a reader gets. */
export type LogEnd = { type: 'finished'; position: number; row: ProcessRow };

/** A process that one reader follows. */
export type FollowedLog = {
  row: ProcessRow;
  /** Everything that the reader does not have, as it comes. Ends with the recorded end, or when `signal` aborts. */
  pieces: AsyncGenerator<LogPiece | LogEnd, void, undefined>;
};

/**
 * Follows the log of a process, on whichever replica: at its agent as long as that has it, and then as it is recorded. The agent is asked for no
 * more than the reader takes, and makes the process wait for it.
 * @throws Problem 404, 410 (deleted session)
 */
export async function followLog(deps: LogDependencies, { after, signal, ...key }: LogInput): Promise<FollowedLog> {
  const row = await findKnownProcess(deps, key);
  return { row, pieces: readActively(deps, { row, tenant: key.caller.tenant, after, signal }) };
}

type Reading = { row: ProcessRow; tenant: string; after: number; signal: AbortSignal };

/** A session is not idle as long as someone follows one of its processes. */
async function* readActively(deps: LogDependencies, reading: Reading): FollowedLog['pieces'] {
  const over = Promise.withResolvers<void>();
  const { row } = reading;
  const active = row.finishedAt ? null : keepActive(deps, row, () => over.promise);
  try {
    yield* readLog(deps, reading);
  } finally {
    over.resolve();
    await active;
  }
}

const againMsMin = 20;
const againMsMax = 1000;
/** How long a reader waits at a time for the record of an end. */
const recordMs = 60_000;

async function* readLog(deps: LogDependencies, { tenant, after, signal, ...reading }: Reading): FollowedLog['pieces'] {
  let { row } = reading;
  let at = after;
  for (let againMs = againMsMin; !signal.aborted; againMs = Math.min(againMs * 2, againMsMax)) {
    const silence = watchSilence(deps, row, signal);
    const pieces = readFromAgent(deps, { row, tenant, after: at, signal: silence.signal });
    let outcome: AgentLogOutcome;
    try {
      for (;;) {
        const next = await pieces.next();
        if (next.done) {
          outcome = next.value;
          break;
        }
        at = next.value.position;
        againMs = againMsMin;
        yield next.value;
        silence.broken();
      }
    } finally {
      silence.end();
      await pieces.return('broken');
    }
    do row = await latest(deps, await untilEnded(deps, row, { ms: outcome === 'end' ? recordMs : againMs, signal }));
    while (outcome === 'end' && !row.finishedAt && !signal.aborted);
    if (signal.aborted) return;
    if (!row.finishedAt || outcome === 'broken') {
      await delay(againMs, undefined, { signal }).catch(() => {});
      continue;
    }
    for (const piece of outcome === 'gone' ? recordedPieces(row.log, at) : []) {
      at = piece.position;
      yield piece;
    }
    return yield { type: 'finished', position: endOf(row), row };
  }
}

const silenceMs = 5000;

/**
 * Ends a request to an agent that says nothing more about a process whose end is recorded: its sandbox may be gone without a word. `broken` says that
 * it has said something. `signal` also aborts with the reader's.
 */
function watchSilence(deps: LogDependencies, row: ProcessRow, reader: AbortSignal) {
  const over = new AbortController();
  const signal = AbortSignal.any([reader, over.signal]);
  let isSilent = false;
  const watch = async () => {
    for (let { finishedAt } = row; !(finishedAt && isSilent); ) {
      isSilent = true;
      await delay(silenceMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      if (!finishedAt) ({ finishedAt } = await latest(deps, row).catch(() => row));
    }
    over.abort();
  };
  void watch();
  return {
    signal,
    broken() {
      isSilent = false;
    },
    end: () => over.abort(),
  };
}

/** The place behind the last event of an ended process. Nothing follows it: of a process that was lost, it is not known how far its log came. Pure. */
export function endOf({ log }: Pick<ProcessRow, 'log'>): number {
  if (!log) return Number.MAX_SAFE_INTEGER;
  // Without output, only the start came before.
  let last = 1;
  for (const frame of framesIn(log)) last = positionOf(frame);
  return last + 1;
}

/** The row may have ended since it was read. */
async function latest({ db }: LogDependencies, row: ProcessRow): Promise<ProcessRow> {
  if (row.finishedAt) return row;
  return (
    (await findProcess(db, { sessionId: row.sessionId, processId: row.id })) ?? {
      ...row,
      status: 'lost',
      finishedAt: new Date(),
    }
  );
}
