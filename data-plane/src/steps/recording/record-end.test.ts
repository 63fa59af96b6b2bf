import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FoundStep } from '../../registry/steps/find-step.ts';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import { recordEnd } from './record-end.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const record = {
  id: 'stp_0',
  sessionId: 'ses_0',
  status: 'succeeded',
  contextEpoch: 1,
  executionCount: 3,
  durationMs: 5,
  startedAt: new Date(0),
  finishedAt: new Date(5),
  events: Buffer.from('frames'),
} as StepRecord;

/** A recorder that answers with `numbers` and a registry that answers with `rows`, one after the other. */
function registry(numbers: (number | null)[], rows: (FoundStep | Error | null)[] = []) {
  const written: StepRecord[] = [];
  const asked: unknown[] = [];
  const deps = {
    recorder: {
      end: async (end: StepRecord) => {
        written.push(end);
        return numbers.shift() ?? null;
      },
    },
    findStep: async (key: unknown) => {
      asked.push(key);
      const row = rows.shift() ?? null;
      if (row instanceof Error) throw row;
      return row;
    },
  };
  return { deps, written, asked };
}

test('returns the number of the step, and does not read the row', async () => {
  const { deps, written, asked } = registry([7]);
  expect(await recordEnd(deps, record)).toEqual({ by: 'us', record, number: 7 });
  expect(written).toEqual([record]);
  expect(asked).toEqual([]);
});

test('returns the row of another replica that recorded the end first, and writes nothing more', async () => {
  const row = { id: 'stp_0', status: 'lost', finishedAt: new Date(1) } as FoundStep;
  const { deps, written, asked } = registry([null], [row]);
  expect(await recordEnd(deps, record)).toEqual({ by: 'another', row });
  expect(written).toHaveLength(1);
  expect(asked).toEqual([{ sessionId: 'ses_0', stepId: 'stp_0' }]);
});

const lost = {
  status: 'lost',
  outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: false },
  cause: { code: 'sandbox_lost' },
  mayHaveRow: true,
  contextEpoch: null,
  executionCount: null,
  durationMs: null,
  events: Buffer.alloc(0),
  startedAt: record.startedAt,
  finishedAt: record.finishedAt,
};

test('records a step as lost, without what its agent reported, if the registry refuses its end', async () => {
  const unfinished = { id: 'stp_0', status: 'running', finishedAt: null } as FoundStep;
  const { deps, written } = registry([null, 8], [unfinished]);
  const recorded = await recordEnd(deps, record);
  expect(recorded).toMatchObject({ by: 'us', number: 8, record: lost });
  expect(written).toMatchObject([record, lost]);
});

test('returns an end without a number if the session was deleted meanwhile', async () => {
  const { deps } = registry([null, null], [null]);
  expect(await recordEnd(deps, record)).toMatchObject({ by: 'us', number: null, record: { status: 'lost' } });
});

test('asks for the row until the database answers', async () => {
  const row = { id: 'stp_0', finishedAt: new Date(1) } as FoundStep;
  const { deps, asked } = registry([null], [new Error('away'), new Error('away'), row]);
  const recorded = recordEnd(deps, record);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await recorded).toEqual({ by: 'another', row });
  expect(asked).toHaveLength(3);
});
