import { type PausedSession, Problem, type Unsaved } from '@holdfast/specs/public';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import { askedBy } from '../../policy/audit/asked-by.ts';
import type { Change } from '../../registry/audit/changed-by.ts';
import type { Database } from '../../registry/connect.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import { findSession } from '../../registry/sessions/find-session.ts';
import { finishPause, type Pausing } from '../../registry/sessions/pause-session.ts';
import { type ExplainDependencies, explainFailedCall } from '../agent-problem.ts';
import type { Caller } from '../caller.ts';
import { changedJustNow, existingSession, refuseUnlessActive } from '../existing-session.ts';
import { type RemoveDependencies, removeSandbox } from '../remove-sandbox.ts';
import type { Route, Routes } from '../sandbox-routes.ts';
import { sessionView } from '../session-view.ts';
import { hasSandbox } from '../status.ts';
import { beginOwnPause } from './begin-own-pause.ts';
import { goOnActive } from './go-on-active.ts';
import { holdOf } from './release-hold.ts';
import { type SaveDependencies, saveContexts } from './save-contexts.ts';

export type PauseDependencies = ExplainDependencies &
  RemoveDependencies &
  SaveDependencies & {
    db: Database;
    agents: Pick<AgentClient, 'call'>;
    routes: Pick<Routes, 'find' | 'drop' | 'refresh'>;
    replicaId: string;
    /** See `begin-own-pause.ts`. */
    pausing: Set<string>;
    isDraining(): boolean;
    /** Saves the files of a sandbox, and returns those that cannot be saved. */
    saveFiles(input: { route: Route; signal: AbortSignal }): Promise<Unsaved[]>;
    background(work: Promise<unknown>): void;
    log: { warn(context: object, message: string): void };
  };

/** After this time the session is active again. The agent refuses steps for a little longer, so none runs that no snapshot has. */
const pauseSeconds = 110;
const holdSeconds = 120;

type PauseInput = { caller: Caller; id: string; force: boolean };

/**
 * Saves a session outside its sandbox and removes the sandbox. A paused session is answered as it is.
 * @throws Problem 404; 409 while a step runs, or if a part cannot be saved, which `force` accepts; 410; 502 or 503. The session then goes on
 */
export async function pauseSession(deps: PauseDependencies, { caller, id, force }: PauseInput): Promise<PausedSession> {
  const session = await existingSession(deps.db, { id, tenant: caller.tenant });
  if (session.status === 'paused') return { ...(await sessionView(deps.db, session)), notSaved: [] };
  refuseUnlessActive(session);
  const { left, notSaved } = await pause(deps, {
    session,
    force,
    ifIdle: false,
    change: askedBy(caller, 'session.pause', { force }),
  });
  return { ...(await sessionView(deps.db, left)), notSaved };
}

/** Pauses a session that has been idle for its idle timeout. If that fails, the session goes on until the next try. */
export async function pauseIdleSession(
  deps: PauseDependencies,
  { id, epoch }: { id: string; epoch: number },
): Promise<void> {
  const session = await findSession(deps.db, { id });
  if (!session || !hasSandbox(session.status) || session.epoch !== epoch) return;
  await pause(deps, { session, force: true, ifIdle: true }).catch((err) => {
    deps.log.warn({ sessionId: id, err }, 'an idle session could not be paused');
  });
}

async function pause(deps: PauseDependencies, saving: Omit<Saving, 'finish'>): Promise<Saved> {
  const { db, replicaId } = deps;
  const done = await saveAndLeave(deps, { ...saving, finish: (left) => finishPause(db, { ...left, replicaId }) });
  deps.background(removeSandbox(deps, done.left));
  return done;
}

type Saving = {
  session: SessionRow;
  /** Whether to go on if something cannot be saved. */
  force: boolean;
  /** Only if the session is to be paused because it is idle. */
  ifIdle: boolean;
  change?: Change | undefined;
  /** Moves the session on from `pausing`. Null if it is not in this status any more. */
  finish(pausing: Pausing): Promise<SessionRow | null>;
};
type Saved = { left: SessionRow; notSaved: Unsaved[] };

/** Saves everything that a session has in its sandbox, and moves it on to a status without this sandbox. If that fails, it stays active. */
export async function saveAndLeave(deps: PauseDependencies, saving: Saving): Promise<Saved> {
  const { session, ifIdle, change } = saving;
  const { id, epoch } = session;
  const { left: leave, ...pausing } = await beginOwnPause(deps, { id, epoch, seconds: pauseSeconds, ifIdle, change });
  return await saveInPause(deps, { ...saving, pausing }).finally(leave);
}

async function saveInPause(deps: PauseDependencies, saving: Saving & { pausing: Pausing }): Promise<Saved> {
  const { session, force, finish, pausing } = saving;
  const { routes } = deps;
  const { id, epoch, tenant } = session;
  const hold = holdOf(pausing);
  routes.drop(id);
  const route = await routes.find(id);
  try {
    if (route?.epoch !== epoch) throw changedJustNow(id);
    const notSaved = await saveAll(deps, { route, hold });
    if (notSaved.length > 0 && !force) throw refusal(notSaved);
    const left = await finish(pausing);
    if (!left) throw changedJustNow(id);
    return { left, notSaved };
  } catch (error) {
    await goOnActive(deps, { pausing, route, hold });
    throw await explainFailedCall(deps, { key: { sessionId: id, tenant }, error });
  }
}

async function saveAll(deps: PauseDependencies, { route, hold }: { route: Route; hold: string }): Promise<Unsaved[]> {
  const signal = AbortSignal.timeout(pauseSeconds * 1000);
  await deps.agents.call(route, { method: 'POST', path: hold, body: { seconds: holdSeconds } });
  await endProcesses(deps, route);
  return [...(await saveContexts(deps, { route, signal })), ...(await deps.saveFiles({ route, signal }))];
}

/** A hold stops no process, which could write after the files are saved. An agent of an earlier version has none. */
async function endProcesses({ agents }: PauseDependencies, route: Route): Promise<void> {
  try {
    await agents.call(route, { method: 'DELETE', path: '/v1/processes?cause=session_paused' });
  } catch (error) {
    if (!(error instanceof AgentError && error.slug === 'not-found')) throw error;
  }
}

const shownMax = 100;

function refusal(notSaved: readonly Unsaved[]): Problem {
  const errors = notSaved.slice(0, shownMax).map(({ contextId, name, reason }) => ({
    pointer: contextId === null ? `files/${name}` : `contexts/${contextId}/${name}`,
    detail: reason,
  }));
  const detail = `${notSaved.length} names or files cannot be saved; \`force\` pauses without them`;
  return new Problem('state-not-saved', { detail, errors });
}
