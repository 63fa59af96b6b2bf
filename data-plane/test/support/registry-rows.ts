import { newId } from '@holdfast/specs/public';
import type { Database } from '../../src/registry/connect.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import type { SessionRow } from '../../src/registry/schema/sessions.ts';
import { type StepRow, steps } from '../../src/registry/schema/steps.ts';
import { insertSession } from '../../src/registry/sessions/insert-session.ts';
import { claimWorld, type WorldClaim } from '../../src/registry/world-files/claim-world.ts';
import { type NewWorldFile, recordChanges } from '../../src/registry/world-files/record-changes.ts';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';

type SessionInput = Parameters<typeof insertSession>[1];

/** A session to be made, unlike any other. */
export const sessionInput = (id = newId('ses')): SessionInput => ({
  id,
  sandboxName: sandboxName(id, 1),
  tenant: 'acme',
  language: 'python',
  runtime: 'process',
  network: 'internet',
  profile: 'default',
  metadata: {},
  env: null,
  timeoutSeconds: 3600,
  idleTimeoutSeconds: 600,
  startSeconds: 60,
  sessionsMax: 1_000_000,
});

/** A session that is `creating`. */
export async function creatingSession(db: Database, input: Partial<SessionInput> = {}): Promise<SessionRow> {
  const inserted = await insertSession(db, { ...sessionInput(), ...input });
  if (!inserted) throw new Error('the quota is reached');
  return inserted.session;
}

export const routeOf = ({ id, epoch }: Pick<SessionRow, 'id' | 'epoch'>) => ({
  sessionId: id,
  epoch,
  sandboxName: `sandbox-${id}`,
  sandboxUid: newId('uid'),
  node: 'local',
  endpoint: 'http://127.0.0.1:1',
  agentPublicKey: 'key',
  token: 'sealed-1',
  tokenExpiresAt: new Date('2030-01-01T00:00:00.123Z'),
});

/** A session that is `active`, with a route. */
export async function activeSession(db: Database, input: Partial<SessionInput> = {}): Promise<SessionRow> {
  const session = await bindRoute(db, routeOf(await creatingSession(db, input)));
  if (!session) throw new Error('the session was not creating');
  return session;
}

/** A step that has succeeded, unless `row` says otherwise. */
export async function storedStep(db: Database, row: Partial<StepRow> & { sessionId: string; number: number }) {
  const ended = { status: 'succeeded' as const, queuedAt: new Date(), startedAt: new Date(), finishedAt: new Date() };
  const where = { id: newId('stp'), contextId: 'python', epoch: 1, contextEpoch: 1, executionCount: row.number };
  const what = { actor: 'agent' as const, language: 'python' as const, code: `x = ${row.number}`, timeoutMs: 1000 };
  const [step] = await db.orm
    .insert(steps)
    .values({ ...where, ...what, ...ended, ...row })
    .returning();
  return step as StepRow;
}

/** A claim of a session's world by a write of its own. If the session is gone, so is the claim. */
export async function claimOf(db: Database, sessionId: string): Promise<WorldClaim> {
  const writer = newId('rep');
  const claim = await claimWorld(db, { sessionId, writer, replicaId: writer });
  if (claim === 'held') throw new Error('another write has claimed the world');
  return claim ?? { sessionId, writer, isUnsettled: false, rules: null, policyRevision: 0 };
}

/** Puts a file into a session's world. False if the session is gone. */
export async function putWorldFile(
  db: Database,
  { sessionId, ...file }: NewWorldFile & { sessionId: string },
): Promise<boolean> {
  return await recordChanges(db, { claim: await claimOf(db, sessionId), artifacts: [], put: [file], remove: [] });
}
