import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@holdfast/specs';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Seal } from '../agent/seal.ts';
import { bindRoute } from '../registry/bind-route.ts';
import type { Database } from '../registry/connect.ts';
import type { Runtime, Sandbox } from '../runtimes/runtime.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { type LeaveDependencies, leaveActive } from './leave-active.ts';
import type { Route } from './routes.ts';
import { sandboxName } from './sandbox-name.ts';
import type { SessionRow } from './session-view.ts';

export type StartDependencies = LeaveDependencies & {
  db: Database;
  seal: Seal;
  runtime: Runtime;
  agents: AgentClient;
  startSeconds: number;
  isDraining(): boolean;
};

const pollMs = 10;

/**
 * Gives a session in `creating` its sandbox: launch, meet the agent, tell it the session, bind the route. A repeat finds the same
 * sandbox by its name.
 * @throws Problem 503 where that fails; the session is then `failed`.
 */
export async function startSandbox(deps: StartDependencies, starting: Starting): Promise<SessionRow> {
  const { id } = starting.session;
  const stopping = new AbortController();
  if (deps.isDraining()) stopping.abort();
  const started = start(deps, starting, stopping.signal);
  deps.starting.set(id, { ended: started.catch(() => {}), stop: () => stopping.abort() });
  return await started.finally(() => deps.starting.delete(id));
}

type Starting = { session: SessionRow; env: Record<string, string> };

async function start(deps: StartDependencies, { session, env }: Starting, stopped: AbortSignal): Promise<SessionRow> {
  const timeout = AbortSignal.timeout(deps.startSeconds * 1000);
  const signal = AbortSignal.any([timeout, stopped]);
  let sandbox: Sandbox | null = null;
  try {
    sandbox = await deps.runtime.launch(specOf(session), signal);
    const route = await meetAgent(deps, { session, sandbox, signal });
    const body = { language: session.language, env };
    await deps.agents.call(route, { method: 'PUT', path: '/v1/session', body, signal, withSteps: true });
    signal.throwIfAborted();
    return await bind(deps, { route, sandbox });
  } catch (cause) {
    const ended = await leaveActive(deps, { id: session.id, ...endingOf(deps, { timeout, cause }) });
    // Whoever ended the session may have looked for its sandbox before there was one.
    if (!ended && sandbox) await deps.runtime.destroy(sandbox);
    if (!ended) refuseUnlessActive(await existingSession(deps.db, session));
    throw new Problem('sandbox-unreachable', { detail: 'the sandbox did not start', retryAfterSeconds: 5, cause });
  }
}

function endingOf(
  { isDraining }: StartDependencies,
  { timeout, cause }: { timeout: AbortSignal; cause: unknown },
): Omit<Parameters<typeof leaveActive>[1], 'id'> {
  if (isDraining()) return { to: 'aborted', reason: 'data_plane_stopped', message: 'the data-plane was stopped' };
  const reason = timeout.aborted ? 'sandbox_start_timeout' : 'sandbox_start_failed';
  return { to: 'failed', reason, message: messageOf(cause) };
}

const specOf = ({ id, epoch, network }: SessionRow) => ({
  name: sandboxName(id, epoch),
  sessionId: id,
  epoch,
  network,
});

type Meeting = { session: SessionRow; sandbox: Sandbox; signal: AbortSignal };

/** Polls from the moment there is an address: a runtime's own readiness check would be too coarse. */
async function meetAgent({ agents }: StartDependencies, { session, sandbox, signal }: Meeting): Promise<Route> {
  const { endpoint, uid } = sandbox;
  if (!endpoint) throw new Error(`sandbox ${sandbox.name} has no endpoint`);
  for (;;) {
    try {
      const agentPublicKey = await agents.meet({ endpoint, uid });
      const subject = { sessionId: session.id, sandboxUid: uid, epoch: session.epoch };
      const token = await agents.newToken(subject);
      const { tenant, language } = session;
      return { ...subject, endpoint, agentPublicKey, token, tenant, language, sandboxName: sandbox.name };
    } catch (error) {
      if (!(error instanceof AgentError) || error.kind === 'invalid' || signal.aborted) throw error;
      await delay(pollMs, undefined, { signal });
    }
  }
}

async function bind(
  { db, seal, routes }: StartDependencies,
  { route, sandbox }: { route: Route; sandbox: Sandbox },
): Promise<SessionRow> {
  const active = await bindRoute(db, {
    sessionId: route.sessionId,
    epoch: route.epoch,
    sandboxName: sandbox.name,
    sandboxUid: sandbox.uid,
    node: sandbox.node,
    endpoint: route.endpoint,
    agentPublicKey: route.agentPublicKey,
    token: await seal.close(route.token.token),
    tokenExpiresAt: route.token.expiresAt,
  });
  if (!active) throw new Error('the session ended while its sandbox was starting');
  routes.remember(route);
  return active;
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)).slice(0, 1000);
