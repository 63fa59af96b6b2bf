import { setTimeout as delay } from 'node:timers/promises';
import type { NewAuditEntry } from '../../../registry/audit/record-audit.ts';
import { databaseUnavailable } from '../../../registry/database-error.ts';
import type { CallingStep } from '../../../steps/drive-step.ts';

/** So many calls of one kind have an entry each, in one step. */
const entriesMax = 100;
/** Names that the code makes up are kinds as well. Those beyond are counted together. */
const kindsMax = 100;
/** Counts that a replica has not recorded are lost with it. */
const recordMs = 2000;
/** The tries in a row, which is a minute of an outage. After that the counts are dropped. */
const triesMax = 30;

type Counts = { taken: Map<string, number>; counted: Map<string, NewAuditEntry>; isWaiting: boolean };

type Dependencies = {
  record(entries: readonly NewAuditEntry[]): Promise<void>;
  onFailure(error: unknown): void;
  background(work: Promise<unknown>): void;
};

/**
 * Bounds the entries of calls that change nothing: of each kind, which is an operation with its decision, the first calls of a step have an entry each.
 * Later ones are counted, and the count becomes an entry every other second and at the end of the step.
 */
export function createCallCounts({ record, onFailure, background }: Dependencies) {
  const ofSteps = new WeakMap<AbortSignal, Counts>();

  function countsOf({ signal }: Pick<CallingStep, 'signal'>): Counts {
    const counts = ofSteps.get(signal) ?? { taken: new Map(), counted: new Map(), isWaiting: false };
    ofSteps.set(signal, counts);
    return counts;
  }

  async function recordSoon(counts: Counts, signal: AbortSignal): Promise<void> {
    counts.isWaiting = true;
    let tries = 0;
    while (counts.counted.size > 0) {
      await delay(recordMs, undefined, { signal }).catch(() => {});
      const entries = [...counts.counted.values()];
      counts.counted.clear();
      try {
        await record(entries);
        tries = 0;
      } catch (error) {
        onFailure(error);
        tries += 1;
        if (!databaseUnavailable(error) || tries >= triesMax) continue;
        for (const entry of entries) add(counts, entry);
        await delay(recordMs);
      }
    }
    counts.isWaiting = false;
  }

  return {
    /** Whether the call has an entry of its own. Otherwise it is counted. */
    takes(step: Pick<CallingStep, 'signal'>, entry: NewAuditEntry): boolean {
      const counts = countsOf(step);
      const kind = kindOf(entry);
      const taken = counts.taken.get(kind) ?? 0;
      if (taken < entriesMax && (taken > 0 || counts.taken.size < kindsMax)) {
        counts.taken.set(kind, taken + 1);
        return true;
      }
      add(counts, taken > 0 ? entry : { ...entry, operation: '*' });
      if (!counts.isWaiting) background(recordSoon(counts, step.signal));
      return false;
    },
  };
}

function add({ counted }: Counts, entry: NewAuditEntry): void {
  const { arguments: _, ...same } = entry;
  const kind = kindOf(entry);
  const before = counted.get(kind);
  const durationMs = (before?.durationMs ?? 0) + (entry.durationMs ?? 0);
  counted.set(kind, { ...same, count: (before?.count ?? 0) + (entry.count ?? 1), durationMs });
}

const kindOf = ({ operation, decision, rule }: NewAuditEntry) => JSON.stringify([operation, decision, rule]);
