import { createHash } from 'node:crypto';
import type { OperationAnswer } from '@holdfast/specs/agent';
import type { Logger } from '../../../observability/logger.ts';
import type { NewAuditEntry } from '../../../registry/audit/record-audit.ts';
import type { Database } from '../../../registry/connect.ts';
import { countKeptBytes } from '../../../registry/operations/count-kept-bytes.ts';
import { keptAnswerBytesMax, keptStepBytesMax } from '../../../registry/operations/mark-operation-delivered.ts';
import { type RecordedCalls, recordCalls } from '../../../registry/operations/record-calls.ts';
import type { CallingStep } from '../../../steps/drive-step.ts';
import type { StepCall } from '../../../steps/frames/step-call.ts';
import { createCallCounts } from './call-counts.ts';

export type CallLog = ReturnType<typeof createCallLog>;

/** A call that the data-plane has answered. `entry`: null if the change that it made has its entry. `isKept`: whether a replay may give the same answer. */
type AnsweredCall = {
  step: CallingStep;
  call: StepCall;
  entry: NewAuditEntry | null;
  answer: OperationAnswer;
  isKept: boolean;
};

type Dependencies = {
  db: Database;
  log: Pick<Logger, 'warn'>;
  background(work: Promise<unknown>): void;
};

type Waiting = RecordedCalls & { recorded: PromiseWithResolvers<void> };

const batchMax = 100;
/** A replay of a step that has called more often stops there. */
const keptCallsMax = 1000;

/**
 * The entries of calls that change nothing, and the answers to calls for a replay. Those that wait at the same moment are recorded by one statement, so
 * that a read stays cheap. Code can call hundreds of times a second, so only the first calls of a step have an entry each; see `createCallCounts`.
 */
export function createCallLog({ db, log, background }: Dependencies) {
  const waiting: Waiting[] = [];
  let isWriting = false;
  /** The bytes of a step's answers that are kept. */
  const keptBytes = new WeakMap<AbortSignal, Promise<{ bytes: number }>>();
  const counts = createCallCounts({
    record: (entries) => record({ entries, answers: [] }),
    onFailure: (err) => log.warn({ err }, 'the number of calls could not be recorded'),
    background,
  });

  async function writeAll(): Promise<void> {
    isWriting = true;
    for (let batch = waiting.splice(0, batchMax); batch.length > 0; batch = waiting.splice(0, batchMax)) {
      await write(db, batch);
    }
    isWriting = false;
  }

  function record(calls: RecordedCalls): Promise<void> {
    const recorded = Promise.withResolvers<void>();
    waiting.push({ ...calls, recorded });
    if (!isWriting) void writeAll();
    return recorded.promise;
  }

  function keptOf({ signal, isHandedOver, live: { id: stepId } }: CallingStep): Promise<{ bytes: number }> {
    const known = keptBytes.get(signal);
    if (known) return known;
    // Another replica may have kept some.
    const before = isHandedOver ? countKeptBytes(db, { stepId }) : Promise.resolve(0);
    const kept = before.then(
      (bytes) => ({ bytes }),
      (err) => {
        log.warn({ err, stepId }, 'the kept answers of a step could not be counted, so no more are kept');
        return { bytes: keptStepBytesMax };
      },
    );
    keptBytes.set(signal, kept);
    return kept;
  }

  async function answersOf({ step, call, answer, isKept }: AnsweredCall): Promise<RecordedCalls['answers']> {
    if (!isKept || call.kind === 'refused' || call.number > keptCallsMax) return [];
    const json = JSON.stringify(answer);
    const bytes = Buffer.byteLength(json);
    if (bytes > keptAnswerBytesMax) return [];
    const kept = await keptOf(step);
    if (kept.bytes + bytes > keptStepBytesMax) return [];
    kept.bytes += bytes;
    const digest = createHash('sha256').update(JSON.stringify(call.arguments)).digest();
    const { sessionId, id: stepId } = step.live;
    return [{ sessionId, stepId, call: call.number, name: call.name, digest, answer: json }];
  }

  return {
    /** Resolves when the call is recorded. @throws if its entry could not be; an answer that could not be kept only ends a replay. */
    async record(answered: AnsweredCall): Promise<void> {
      const { step, entry } = answered;
      const entries = entry && counts.takes(step, entry) ? [entry] : [];
      const answers = await answersOf(answered);
      if (entries.length + answers.length === 0) return;
      await record({ entries, answers }).catch((error) => {
        if (entries.length > 0) throw error;
        log.warn({ err: error, stepId: step.live.id }, 'the answer to a call could not be kept');
      });
    },
  };
}

/** A call that cannot be recorded takes no other one with it. Never rejects. */
async function write(db: Database, batch: readonly Waiting[]): Promise<void> {
  try {
    const entries = batch.flatMap((one) => one.entries);
    await recordCalls(db, { entries, answers: batch.flatMap((one) => one.answers) });
    for (const { recorded } of batch) recorded.resolve();
  } catch (error) {
    if (batch.length === 1) batch[0]?.recorded.reject(error);
    else for (const one of batch) await write(db, [one]);
  }
}
