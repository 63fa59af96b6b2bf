import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessionRoutes } from '../schema/session-routes.ts';

type StoreTokenInput = {
  sessionId: string;
  epoch: number;
  /** Expiry of the token that this one replaces. */
  previousExpiresAt: Date;
  /** JWE of the token. */
  token: string;
  tokenExpiresAt: Date;
};

/** Compares and sets: false if another replica was first or the route has another epoch. */
export async function storeToken(
  { orm }: Queries,
  { sessionId, epoch, previousExpiresAt, token, tokenExpiresAt }: StoreTokenInput,
): Promise<boolean> {
  const stored = await orm
    .update(sessionRoutes)
    .set({ token, tokenExpiresAt })
    .where(
      and(
        eq(sessionRoutes.sessionId, sessionId),
        eq(sessionRoutes.epoch, epoch),
        eq(sessionRoutes.tokenExpiresAt, previousExpiresAt),
      ),
    )
    .returning({ sessionId: sessionRoutes.sessionId });
  return stored.length > 0;
}
