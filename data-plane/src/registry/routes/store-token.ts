import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessionOperations } from '../schema.ts';

type StoreTokenInput = {
  sessionId: string;
  epoch: number;
  /** Expiry of the token that this one replaces. */
  previousExpiresAt: Date;
  /** JWE of the token. */
  token: string;
  tokenExpiresAt: Date;
};

/** Compare and set: false where another replica was first or the route is of another epoch. */
export async function storeToken(
  { orm }: Queries,
  { sessionId, epoch, previousExpiresAt, token, tokenExpiresAt }: StoreTokenInput,
): Promise<boolean> {
  const stored = await orm
    .update(sessionOperations)
    .set({ token, tokenExpiresAt })
    .where(
      and(
        eq(sessionOperations.sessionId, sessionId),
        eq(sessionOperations.epoch, epoch),
        eq(sessionOperations.tokenExpiresAt, previousExpiresAt),
      ),
    )
    .returning({ sessionId: sessionOperations.sessionId });
  return stored.length > 0;
}
