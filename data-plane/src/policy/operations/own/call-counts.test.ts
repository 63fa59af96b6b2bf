import { expect, test } from 'vitest';
import type { NewAuditEntry } from '../../../registry/audit/record-audit.ts';
import { createCallCounts } from './call-counts.ts';

const entry: NewAuditEntry = {
  sessionId: 'ses_1',
  tenant: 'acme',
  actor: 'system',
  keyId: null,
  operation: 'memo.get',
  arguments: {},
  decision: 'allowed',
  stepId: 'stp_1',
};

/** Counts one call of a step that has ended, and waits for the end of what that began. */
async function countOne(record: (entries: readonly NewAuditEntry[]) => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const counts = createCallCounts({
    record,
    onFailure: (error) => failures.push(error),
    background: (begun) => work.push(begun),
  });
  const step = { signal: AbortSignal.abort() };
  while (counts.takes(step, entry));
  await Promise.all(work);
  return failures;
}

test('calls beyond the first ones of a step are counted at its end', async () => {
  const recorded: NewAuditEntry[] = [];
  const failures = await countOne(async (entries) => void recorded.push(...entries));
  expect([failures, recorded]).toMatchObject([[], [{ operation: 'memo.get', count: 1 }]]);
});

test('counts that the database refuses are dropped and not tried again', async () => {
  const refused = Object.assign(new Error('refused'), { severity: 'ERROR', code: '23514' });
  const failures = await countOne(() => Promise.reject(refused));
  expect(failures).toEqual([refused]);
});
