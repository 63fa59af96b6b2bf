import type { Reader } from '../reading/json-slices.ts';
import { type LargeReads, pieceBytes } from '../reading/large-reads.ts';
import type { FoundStep } from '../registry/steps/find-step.ts';
import { type RanStep, readRanSteps } from '../registry/steps/list-ran-steps.ts';
import { readEventBytes } from '../registry/steps/read-event-bytes.ts';

export type ReadDependencies = { reads: LargeReads };

/** `events`: the frames; null if they are more than an export takes. `isReset`: the context began anew before this step. */
export type StepRead = { row: FoundStep; events: Buffer | null; isReset: boolean };

type Reading = { sessionId: string; ran: readonly RanStep[]; reader: Reader; withEvents: boolean };

/** The output of one step; more is left out. */
const eventBytesMax = 16 * 1024 * 1024;

/** Reads steps in their order, as fast as they are taken. A step that was purged meanwhile is left out. */
export async function* readSteps(
  { reads }: ReadDependencies,
  { sessionId, ran, reader, withEvents }: Reading,
): AsyncGenerator<StepRead, void, undefined> {
  let earlier: RanStep | null = null;
  for (const batch of batchesOf(ran)) {
    const ids = batch.map(({ id }) => id);
    const rows = await reads.read(reader, (db) => readRanSteps(db, { sessionId, ids, signal: reader.signal }));
    for (const step of batch) {
      const row = rows.find(({ id }) => id === step.id);
      if (!row) continue;
      const isReset: boolean = earlier !== null && earlier.contextEpoch !== step.contextEpoch;
      earlier = step;
      const events = withEvents ? await eventsOf(reads, row, reader) : null;
      yield { row, events, isReset };
    }
  }
}

/** The actor of a step, as an export names it. */
export const actorIn = ({ actor, actorName }: Pick<FoundStep, 'actor' | 'actorName'>) => ({
  actor,
  ...(actorName !== null && { actorName }),
});

async function eventsOf(reads: LargeReads, row: FoundStep, reader: Reader): Promise<Buffer | null> {
  if (row.events || row.eventBytes === 0) return row.events ?? Buffer.alloc(0);
  if (row.eventBytes > eventBytesMax) return null;
  const pieces: Buffer[] = [];
  for (let from = 0; from < row.eventBytes; from += pieceBytes) {
    const length = Math.min(pieceBytes, row.eventBytes - from);
    const part = { stepId: row.id, from, length, signal: reader.signal };
    const piece = await reads.read(reader, (db) => readEventBytes(db, part));
    if (piece?.length !== length) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Consecutive steps that are read together; a larger one is read alone. */
function batchesOf(ran: readonly RanStep[]): RanStep[][] {
  const batches: RanStep[][] = [];
  let bytes = 0;
  for (const step of ran) {
    const batch = batches.at(-1);
    bytes += step.bytes;
    if (batch && bytes <= pieceBytes) batch.push(step);
    else {
      batches.push([step]);
      bytes = step.bytes;
    }
  }
  return batches;
}
