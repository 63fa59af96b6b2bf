import type { Queries } from '../queries.ts';

type Request = {
  tenant: string;
  key: string;
  /** SHA-256 of the request's label and the parsed body. */
  fingerprint: Buffer;
  /** The id of what the request is about. */
  resourceId: string;
};

type Answered = { fingerprint: Buffer; response: string | null };

/**
 * Does work that is all in one transaction once per `Idempotency-Key`, which is recorded in it. A repeat waits until the first request has
 * committed, and continues if that has failed.
 *
 * @param work returns the JWE of the answer
 * @returns the JWE of the first answer; null if the key came with another request
 */
export async function answerOnce(
  db: Queries,
  { tenant, key, fingerprint, resourceId }: Request,
  work: (tx: Queries) => Promise<string>,
): Promise<string | null> {
  return await db.transaction(async (tx) => {
    const { count } = await tx.sql`
      insert into idempotency_keys (tenant, key, fingerprint, resource_id)
      values (${tenant}, ${key}, ${fingerprint}, ${resourceId}) on conflict do nothing`;
    if (count === 0) {
      const [first] = await tx.sql<Answered[]>`
        select fingerprint, response from idempotency_keys where tenant = ${tenant} and key = ${key}`;
      return first?.fingerprint.equals(fingerprint) ? first.response : null;
    }
    const response = await work(tx);
    await tx.sql`
      update idempotency_keys set status = 200, response = ${response} where tenant = ${tenant} and key = ${key}`;
    return response;
  });
}
