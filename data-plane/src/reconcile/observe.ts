import type { Database } from '../registry/connect.ts';
import { findRoute } from '../registry/routes/find-route.ts';
import type { DueSession } from '../registry/sessions/take-due-sessions.ts';
import type { Runtime, Sandbox, SandboxKey } from '../runtimes/runtime.ts';
import { hasSandbox } from '../sessions/status.ts';
import type { Observation, SandboxState, SessionObservation } from './plan.ts';

type ObserveDependencies = { db: Database; runtime: Pick<Runtime, 'inspect' | 'explain'> };

/** The uid of a sandbox whose agent does not answer, and for how many seconds no replica must have heard it if it is to be lost. */
export type SilentAgent = { uid: string; seconds: number };

/** Reads one session and its bound sandbox anew; null if it has none bound. Decides nothing. */
export async function observeSession(
  { db, runtime }: ObserveDependencies,
  { sessionId, silent }: { sessionId: string; silent?: SilentAgent | undefined },
): Promise<SessionObservation | null> {
  const route = await findRoute(db, { sessionId });
  if (!route) return null;
  const { epoch, status, sandboxName: name, sandboxUid: uid } = route;
  // The runtime is asked only about a sandbox in use: any other may be missing because a replica is removing it.
  const found = hasSandbox(status) ? await observeSandbox(runtime, { name, uid }) : null;
  const isSilent = found?.state === 'alive' && silent?.uid === uid;
  const sandbox = isSilent ? { ...found, silentSeconds: silent.seconds } : found;
  return { of: 'session', sessionId, epoch, status, route: { epoch, uid, sandbox }, due: null };
}

/** A session that the registry found due. The runtime is not asked, so that deadlines hold even while it cannot be reached. Pure. */
export function observeDueSession(session: DueSession): SessionObservation {
  const { id, epoch, status, sandboxUid, passed, isSandboxLeft, sandboxGoneAt, deleteRequestedAt } = session;
  return {
    of: 'session',
    sessionId: id,
    epoch,
    status,
    route: sandboxUid === null ? null : { epoch, uid: sandboxUid, sandbox: null },
    due: {
      passed,
      isSandboxLeft,
      isSandboxGone: sandboxGoneAt !== null,
      isDeletionRequested: deleteRequestedAt !== null,
    },
  };
}

/** Reads one warm sandbox anew. */
export async function observeWarmSandbox(
  { runtime }: Pick<ObserveDependencies, 'runtime'>,
  sandbox: SandboxKey,
): Promise<Observation> {
  return { of: 'warm sandbox', sandbox, state: stateOf(await runtime.inspect(sandbox.name), sandbox) };
}

async function observeSandbox(runtime: ObserveDependencies['runtime'], key: SandboxKey): Promise<SandboxState> {
  const found = await runtime.inspect(key.name);
  const state = stateOf(found, key);
  if (state === 'alive') return { state };
  const known = state === 'ended' ? found?.cause : undefined;
  return { state, cause: known ?? (await runtime.explain(key)) };
}

/** Another incarnation under the same name does not count as this one. */
function stateOf(found: Sandbox | null, { uid }: SandboxKey): SandboxState['state'] {
  if (found?.uid !== uid) return 'missing';
  return found.phase === 'ended' ? 'ended' : 'alive';
}
