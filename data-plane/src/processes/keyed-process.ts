import { Problem, processIdForKey, type StartProcess } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import type { Database } from '../registry/connect.ts';
import { findProcess } from '../registry/processes/find-process.ts';
import type { ProcessRow } from '../registry/schema/processes.ts';
import { existingSession } from '../sessions/existing-session.ts';
import type { LiveProcess } from './ending/live-process.ts';

type Dependencies = { db: Database; liveProcesses: ReadonlyMap<string, LiveProcess> };
type Keyed = { request: StartProcess; idempotencyKey?: string | undefined };

/** The fingerprint of a request that has an Idempotency-Key; null if it has none. A repeat may wait for another time. */
export function keyFingerprint(
  seal: Pick<Seal, 'fingerprint'>,
  { request: { waitSeconds: _, ...request }, idempotencyKey }: Keyed,
): Buffer | null {
  return idempotencyKey ? seal.fingerprint(JSON.stringify(request)) : null;
}

/**
 * The process of an earlier request with the same key, which is answered also if the session can start none now; null if there is none.
 * @throws Problem 404 and 410 if the session does not exist or was deleted, 422 if the key came with another request
 */
export async function earlierProcess(
  deps: Dependencies & { seal: Pick<Seal, 'fingerprint'> },
  { sessionId, tenant, ...keyed }: Keyed & { sessionId: string; tenant: string },
): Promise<ProcessRow | null> {
  const fingerprint = keyFingerprint(deps.seal, keyed);
  if (!fingerprint || !keyed.idempotencyKey) return null;
  await existingSession(deps.db, { id: sessionId, tenant });
  return await findKeyed(deps, { id: processIdForKey(sessionId, keyed.idempotencyKey), sessionId, fingerprint });
}

/**
 * The process with an id that a key gives.
 * @throws Problem 422 if the key came with another request
 */
export async function findKeyed(
  { db, liveProcesses }: Dependencies,
  { id, sessionId, fingerprint }: { id: string; sessionId: string; fingerprint: Buffer },
): Promise<ProcessRow | null> {
  const first = await findProcess(db, { sessionId, processId: id });
  if (first && !first.fingerprint?.equals(fingerprint)) throw new Problem('idempotency-mismatch');
  return first && (liveProcesses.get(id)?.row ?? first);
}
