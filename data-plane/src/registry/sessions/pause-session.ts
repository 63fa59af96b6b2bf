import type { SessionStatus } from '@holdfast/specs/public';
import { and, eq, inArray, not, type SQL, sql } from 'drizzle-orm';
import { type Change, changedBy } from '../audit/changed-by.ts';
import { boundStatuses, statusWithSandbox } from '../budgets/bound-statuses.ts';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type LaunchHold, launchedByAnother } from '../sandboxes/launched-by-another.ts';
import { sandboxes } from '../schema/sandboxes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { deadlineConditions } from './deadline-conditions.ts';
import { removalSecondsMax } from './end-session.ts';

type Paused = { id: string; epoch: number };

/** A pause, which its deadline tells from every other one of the same sandbox: a replica that slept may wake up during the next one. */
export type Pausing = Paused & { deadlineAt: Date };

/** Makes a session with a sandbox `pausing`, or, with `ifIdle`, one that is to be paused because it is idle. Null if it is not so in this epoch. */
export async function beginPause(
  { orm }: Queries,
  {
    id,
    epoch,
    replicaId,
    seconds,
    ifIdle,
    change,
  }: Paused & { replicaId: string; seconds: number; ifIdle: boolean; change?: Change | undefined },
): Promise<SessionRow | null> {
  const pausing = orm.$with('pausing').as(
    orm
      .update(sessions)
      .set({ status: 'pausing', startDeadlineAt: fromNow(seconds), updatedAt: now, changedBy: changedBy(change) })
      .where(
        and(
          eq(sessions.id, id),
          eq(sessions.epoch, epoch),
          inArray(sessions.status, boundStatuses),
          ifIdle ? deadlineConditions.idlePause : undefined,
        ),
      )
      .returning(),
  );
  const owned = orm.$with('owned').as(
    orm
      .update(sandboxes)
      .set({ replicaId })
      .from(pausing)
      .where(and(eq(sandboxes.sessionId, pausing.id), eq(sandboxes.epoch, pausing.epoch), eq(sandboxes.state, 'bound')))
      .returning({ epoch: sandboxes.epoch }),
  );
  const [session] = await orm.with(pausing, owned).select().from(pausing);
  return session ?? null;
}

type Cancelled = { deadlineAt: Date | 'passed' } | { deadlineAt: 'any'; replicaId: string };

/**
 * Makes a session active again, or `budget_exceeded`, that is in this pause; with `passed`, in any pause that takes too long or has lost its replica; with `any`, in a
 * pause of this replica.
 * @returns the pause; null if the session is in no such pause
 */
export async function cancelPause(
  { orm }: Queries,
  { id, epoch, ...pause }: Paused & Cancelled,
): Promise<Pausing | null> {
  const active = orm.$with('active').as(
    orm
      .update(sessions)
      .set({ status: sql<SessionStatus>`${sql.raw(statusWithSandbox)}`, updatedAt: now })
      .where(and(eq(sessions.id, id), eq(sessions.epoch, epoch), eq(sessions.status, 'pausing'), isThis(pause)))
      .returning({ id: sessions.id, epoch: sessions.epoch, deadlineAt: sessions.startDeadlineAt }),
  );
  const released = orm.$with('released').as(
    orm
      .update(sandboxes)
      .set({ replicaId: null })
      .from(active)
      .where(and(eq(sandboxes.sessionId, active.id), eq(sandboxes.epoch, active.epoch), eq(sandboxes.state, 'bound')))
      .returning({ epoch: sandboxes.epoch }),
  );
  const [cancelled] = await orm.with(active, released).select().from(active);
  return cancelled ?? null;
}

function isThis(pause: Cancelled): SQL {
  if (pause.deadlineAt === 'passed') return deadlineConditions.pause;
  if (pause.deadlineAt !== 'any') return eq(sessions.startDeadlineAt, pause.deadlineAt);
  return sql`exists (
    select from ${sandboxes} where ${sandboxes.sessionId} = ${sessions.id} and ${sandboxes.epoch} = ${sessions.epoch}
      and ${sandboxes.state} = 'bound' and ${sandboxes.replicaId} = ${pause.replicaId}
  )`;
}

/** Makes a session `paused` that is in this pause, with its sandbox to be removed. Null if the pause was cancelled or has taken too long. */
export async function finishPause(
  queries: Queries,
  { deadlineAt, ...paused }: Removal & Pausing,
): Promise<SessionRow | null> {
  return await setPaused(queries, paused, isInPause(deadlineAt));
}

/** Whether a session is in this pause, and the pause is in time. */
export const isInPause = (deadlineAt: Date): SQL =>
  sql`${sessions.status} = 'pausing' and ${eq(sessions.startDeadlineAt, deadlineAt)} and not (${deadlineConditions.pause})`;

/** Makes a session `paused` again that could not be resumed. Its snapshots are still there. Null if it is not `resuming` in this epoch. */
export async function returnToPaused(
  queries: Queries,
  { ifLaunching, ...paused }: Removal & { ifLaunching?: LaunchHold | undefined },
): Promise<SessionRow | null> {
  const isOurs = ifLaunching && not(launchedByAnother(ifLaunching));
  return await setPaused(queries, paused, and(eq(sessions.status, 'resuming'), isOurs));
}

/** `replicaId`: the replica that removes the sandbox. */
type Removal = Paused & { replicaId: string };

async function setPaused(
  { orm }: Queries,
  { id, epoch, replicaId }: Removal,
  condition: SQL | undefined,
): Promise<SessionRow | null> {
  const paused = orm.$with('paused').as(
    orm
      .update(sessions)
      .set({ status: 'paused', recoveryAttempts: 0, updatedAt: now, nextCheckAt: now })
      .where(and(eq(sessions.id, id), eq(sessions.epoch, epoch), condition))
      .returning(),
  );
  const fencing = orm.$with('fencing').as(
    orm
      .update(sandboxes)
      .set({ state: 'fencing', replicaId, deadlineAt: fromNow(removalSecondsMax) })
      .from(paused)
      .where(and(eq(sandboxes.sessionId, paused.id), inArray(sandboxes.state, ['launching', 'bound'])))
      .returning({ epoch: sandboxes.epoch }),
  );
  const [session] = await orm.with(paused, fencing).select().from(paused);
  return session ?? null;
}
