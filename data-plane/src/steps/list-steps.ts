import type { ListOrder, Page, Step } from '@holdfast/specs/public';
import {
  isLong,
  type JsonSlice,
  jsonSlices,
  type LongAnswer,
  type Reader,
  type Streamed,
  streamedJson,
} from '../reading/json-slices.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { type ListedStep, listSteps as listStepRows, readSteps } from '../registry/steps/list-steps.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import type { LiveStepLog } from './live-step.ts';
import type { OpenedStep } from './long-step.ts';
import { currentStep, type StepAnswer } from './step-from-row.ts';

type ListDependencies = { db: Database; reads: LargeReads; liveSteps: ReadonlyMap<string, LiveStepLog> };
type View = (step: Step | OpenedStep) => Promise<object>;

type ListInput = {
  caller: Caller;
  sessionId: string;
  order: ListOrder;
  limit: number;
  cursor?: string | undefined;
  onlyJobs?: boolean;
  /** The form in which the client gets each. */
  view?: View;
};

/** The page, or one that is made while it is sent. */
type PageAnswer = Page<object> | LongAnswer<{ items: Streamed; nextCursor: string | null }>;

/**
 * The history by the number of admission. It does not say what a step waits for; `getStep` does.
 * @throws Problem 404, 410 (deleted session)
 */
export async function listSteps(
  deps: ListDependencies,
  { caller, sessionId, view = async (step) => step, ...page }: ListInput,
): Promise<PageAnswer> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const { order, onlyJobs = false } = page;
  const { items, nextCursor } = await listStepRows(deps.db, { sessionId, ...page });
  const [group, ...more] = groupsOf(items);
  if (!group) return { items: [], nextCursor };
  if (more.length === 0) {
    const signal = new AbortController().signal;
    const steps = await readGroup(deps, deps.db, { sessionId, order, onlyJobs, signal, ...group });
    const short = steps.flatMap((step) => (isLong(step) ? [] : [step]));
    if (short.length === steps.length) return { items: await Promise.all(short.map(view)), nextCursor };
  }
  return {
    isLong: true,
    open: async (reader) => ({
      items: streamedJson(listOf(deps, [group, ...more], { sessionId, order, onlyJobs, reader, view })),
      nextCursor,
    }),
  };
}

type Group = { first: number; last: number };

/** About the most bytes of steps that are read at once. A larger step is read alone, without its events. */
const groupBytesMax = 256 * 1024;

/** Consecutive steps that are read together. Pure. */
function groupsOf(steps: readonly ListedStep[]): Group[] {
  const groups: (Group & { bytes: number })[] = [];
  for (const { number, bytes } of steps) {
    const group = groups.at(-1);
    if (!group || group.bytes + bytes > groupBytesMax) groups.push({ first: number, last: number, bytes });
    else Object.assign(group, { last: number, bytes: group.bytes + bytes });
  }
  return groups;
}

async function readGroup(
  { reads, liveSteps }: Omit<ListDependencies, 'db'>,
  db: Database,
  group: Group & { sessionId: string; order: ListOrder; onlyJobs: boolean; signal: AbortSignal },
): Promise<StepAnswer[]> {
  const rows = await readSteps(db, group);
  return rows.map((row) => currentStep(reads, row, { live: liveSteps.get(row.id) }));
}

type Listing = { sessionId: string; order: ListOrder; onlyJobs: boolean; reader: Reader; view: View };

async function* listOf(
  deps: Omit<ListDependencies, 'db'>,
  groups: readonly Group[],
  { sessionId, order, onlyJobs, reader, view }: Listing,
): AsyncGenerator<JsonSlice> {
  let before = '[';
  for (const group of groups) {
    for (const step of await deps.reads.read(reader, (db) =>
      readGroup(deps, db, { sessionId, order, onlyJobs, signal: reader.signal, ...group }),
    )) {
      yield before;
      yield* jsonSlices(await view(isLong(step) ? await step.open(reader) : step));
      before = ',';
    }
  }
  yield before === '[' ? '[]' : ']';
}
