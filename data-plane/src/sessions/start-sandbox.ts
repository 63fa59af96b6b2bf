import { type InlineFile, Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import type { Database } from '../registry/connect.ts';
import { bindRoute } from '../registry/routes/bind-route.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import type { ReadySandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { type Runtime, SandboxError, type SandboxKey, type SandboxSpec } from '../runtimes/runtime.ts';
import { type ClaimDependencies, tellClaimed } from './claim-sandbox.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { type FillDependencies, fillWorkspace } from './fill-workspace.ts';
import { type LeaveDependencies, leaveActive } from './leave-active.ts';
import { meetAgent } from './meet-agent.ts';
import { sandboxName } from './sandbox-name.ts';
import { type StoreFilesDependencies, storeInitialFiles } from './store-initial-files.ts';
import { type Told, tellAgent } from './tell-agent.ts';

export type StartDependencies = LeaveDependencies &
  ClaimDependencies &
  FillDependencies &
  StoreFilesDependencies & {
    db: Database;
    seal: Seal;
    runtime: Runtime;
    agents: AgentClient;
    isDraining(): boolean;
    /** Says *look at this session*. */
    hint(sessionId: string): void;
    /** Whether the runtime has said of this sandbox that it seems to have ended. */
    hasEnded(sandboxUid: string): boolean;
  };

/**
 * Gives a session in `creating` its sandbox: the one it has claimed, or else a new one; tells its agent the session, gives it the
 * session's world and binds the route. A repeat finds the same sandbox: a claim is for ever, and a launch goes by the session's name.
 * @throws Problem 503 where that fails; the session is then `failed`.
 */
export async function startSandbox(deps: StartDependencies, starting: Starting): Promise<SessionRow> {
  const { id } = starting.session;
  const stopping = new AbortController();
  const { sandboxesEndWithDataPlane } = deps.runtime.capabilities;
  if (deps.isDraining() && sandboxesEndWithDataPlane) stopping.abort();
  const started = start(deps, starting, stopping.signal);
  deps.starting.set(id, { ended: started.catch(() => {}), stop: () => stopping.abort() });
  return await started.finally(() => deps.starting.delete(id));
}

type Starting = {
  session: SessionRow;
  env: Record<string, string>;
  /** What the session's world begins with. */
  files: readonly InlineFile[];
  claimed: ReadySandbox | null;
};

async function start(
  deps: StartDependencies,
  { session, env, files, claimed }: Starting,
  stopped: AbortSignal,
): Promise<SessionRow> {
  const timeout = AbortSignal.timeout(deps.startSeconds * 1000);
  const signal = AbortSignal.any([timeout, stopped]);
  const hasWorld = files.length > 0 || session.epoch > 1;
  const stored = files.length > 0 ? storeInitialFiles(deps, { sessionId: session.id, files }) : Promise.resolve();
  stored.catch(() => {});
  const fillAndBind = async (told: Told) => {
    await stored;
    if (hasWorld) await fillWorkspace(deps, { route: told.route, signal });
    return await bind(deps, { ...told, signal });
  };
  let launched: SandboxKey | null = null;
  try {
    const claimedAndTold = claimed && (await tellClaimed(deps, { session, env, claimed, signal }));
    if (claimedAndTold) return await fillAndBind(claimedAndTold);
    if (claimed) await refuseUnlessCreating(deps, session);
    const sandbox = await deps.runtime.launch(specOf(session), signal);
    launched = sandbox;
    const met = await meetAgent(deps, { sandbox, signal });
    await refuseUnlessCreating(deps, session);
    return await fillAndBind(await tellAgent(deps, { session, env, sandbox: met, signal }));
  } catch (cause) {
    const ending = endingOf({ timeout, stopped, cause });
    const ended = await leaveActive(deps, { id: session.id, from: 'creating', ...ending });
    if (!ended) {
      const now = await findSession(deps.db, { id: session.id });
      // Two replicas may come to start one session, where the first was silent for so long that the client's repeat was let through.
      if (now?.status === 'active') return now;
      // Whoever ended the session may have looked for its sandbox before there was one. A claim has a row by which it is found.
      // Where that fails, the resync finds it.
      if (launched) await deps.runtime.destroy(launched).catch(() => {});
      refuseUnlessActive(await existingSession(deps.db, session));
    }
    const retryAfterSeconds = (cause instanceof SandboxError && cause.retryAfterSeconds) || 5;
    const detail = `the sandbox did not start: ${ending.reason}`;
    throw new Problem('sandbox-unreachable', { detail, endReason: ending.reason, retryAfterSeconds, cause });
  }
}

/** The session may have been ended on another replica, and what its client gave it is then for nobody. */
async function refuseUnlessCreating({ db }: StartDependencies, { id }: SessionRow): Promise<void> {
  const session = await findSession(db, { id });
  if (session?.status !== 'creating') throw new Error('the session ended while its sandbox was starting');
}

type Failure = { timeout: AbortSignal; stopped: AbortSignal; cause: unknown };

function endingOf({ timeout, stopped, cause }: Failure): Omit<Parameters<typeof leaveActive>[1], 'id'> {
  if (stopped.aborted) return { to: 'aborted', reason: 'data_plane_stopped', message: 'the data-plane was stopped' };
  const message = messageOf(cause);
  if (cause instanceof SandboxError) return { to: 'failed', reason: cause.reason, message };
  return { to: 'failed', reason: timeout.aborted ? 'sandbox_start_timeout' : 'sandbox_start_failed', message };
}

const specOf = ({ id, epoch, profile, network }: SessionRow): SandboxSpec => ({
  name: sandboxName(id, epoch),
  profile,
  network,
});

async function bind(
  { db, routes, hint, hasEnded }: StartDependencies,
  { route, node, sealedToken, signal }: Told & { signal: AbortSignal },
): Promise<SessionRow> {
  signal.throwIfAborted();
  const active = await bindRoute(db, {
    sessionId: route.sessionId,
    epoch: route.epoch,
    sandboxName: route.sandboxName,
    sandboxUid: route.sandboxUid,
    node,
    endpoint: route.endpoint,
    agentPublicKey: route.agentPublicKey,
    token: sealedToken,
    tokenExpiresAt: route.token.expiresAt,
  });
  if (!active) throw new Error('the session ended while its sandbox was starting');
  routes.remember(route);
  // Whoever looked at it before the bind found no session of it.
  if (hasEnded(route.sandboxUid)) hint(route.sessionId);
  return active;
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)).slice(0, 1000);
