import { createHash } from 'node:crypto';
import { Problem, text } from '@holdfast/specs/public';
import { z } from 'zod';
import type { Database } from '../../../registry/connect.ts';
import { assertFact } from '../../../registry/facts/assert-fact.ts';
import { findFacts } from '../../../registry/facts/find-facts.ts';
import { findMemo } from '../../../registry/memos/find-memo.ts';
import { putMemo } from '../../../registry/memos/put-memo.ts';
import type { StorageLimits } from '../../../registry/tenants/read-room.ts';
import { callEntry } from './call-entry.ts';
import { OperationFailed, type OwnOperation, ownOperation } from './own-operation.ts';

const memos = { countMax: 1000, bytesMax: 4 * 2 ** 20 };
const facts = { countMax: 10_000, objectMax: 8192, foundMax: 1000 };

const allowed = { allowed: true } as const;
const writes = { isAudited: true };
const key = text(256).min(1);
const part = text(512).min(1);
const value = z.unknown();
const wantedFacts = z.strictObject({
  subject: part.optional(),
  predicate: part.optional(),
  object: value.optional(),
  limit: z.number().int().min(1).max(facts.foundMax).default(facts.foundMax),
});

type MemoryDependencies = { db: Database; limits: StorageLimits };

/**
 * The memory of a session's code: memos, each a value under a key, and facts, each a subject, a predicate and an object. It counts among the bytes
 * that the session and its tenant may store.
 */
export function memoryOperations({ db, limits }: MemoryDependencies): Record<string, OwnOperation> {
  return {
    'memo.put': ownOperation(
      z.tuple([key, value]),
      async ({ step }, name, noted) => {
        const memo = { sessionId: step.live.sessionId, key: name, value: JSON.stringify(noted ?? null) };
        const entry = callEntry(step, { operation: 'memo.put', arguments: { key: name }, decision: allowed });
        if (await refusedBeyondRoom(putMemo(db, { ...memo, ...memos, limits, entry }))) return null;
        const detail = `a session has at most ${memos.countMax} memos and ${memos.bytesMax} bytes of them`;
        throw new OperationFailed('quota-exceeded', detail);
      },
      writes,
    ),

    'memo.get': ownOperation(z.tuple([key, value.default(null)]), async ({ step }, name, otherwise) => {
      const found = await findMemo(db, { sessionId: step.live.sessionId, key: name });
      return found === null ? otherwise : JSON.parse(found);
    }),

    'facts.assert': ownOperation(
      z.tuple([part, part, value]),
      async ({ step }, subject, predicate, noted) => {
        const object = JSON.stringify(noted ?? null);
        if (object.length > facts.objectMax)
          throw new OperationFailed('ValueTooLarge', `an object has at most ${facts.objectMax} characters of JSON`);
        const fact = { sessionId: step.live.sessionId, subject, predicate, object, digest: digestOf(object) };
        const args = { subject, predicate, object: noted };
        const entry = callEntry(step, { operation: 'facts.assert', arguments: args, decision: allowed });
        const { countMax } = facts;
        const asserted = await refusedBeyondRoom(assertFact(db, { ...fact, countMax, limits, entry }));
        if (asserted !== 'full') return asserted === 'asserted';
        throw new OperationFailed('quota-exceeded', `a session has at most ${facts.countMax} facts`);
      },
      writes,
    ),

    'facts.query': ownOperation(
      z.tuple([wantedFacts.prefault({})]),
      async ({ step }, { subject = null, predicate = null, object, limit }) => {
        const digest = object === undefined ? null : digestOf(JSON.stringify(object));
        const found = await findFacts(db, { sessionId: step.live.sessionId, subject, predicate, digest, limit });
        return found.map((fact) => ({ ...fact, object: JSON.parse(fact.object) }));
      },
    ),
  };
}

/** The transaction is rolled back, so its entry is as well. */
async function refusedBeyondRoom<T>(noting: Promise<T>): Promise<T> {
  return await noting.catch((error) => {
    if (error instanceof Problem) throw new OperationFailed(error.slug, error.options.detail ?? error.message);
    throw error;
  });
}

const digestOf = (json: string) => createHash('sha256').update(json).digest();
