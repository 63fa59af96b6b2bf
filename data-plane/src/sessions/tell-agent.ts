import type { AgentClient } from '../agent/agent-client.ts';
import type { MetSandbox } from '../registry/claim-warm-sandbox.ts';
import type { Route } from './routes.ts';
import type { SessionRow } from './session-view.ts';

type Telling = { session: SessionRow; env: Record<string, string>; sandbox: MetSandbox; signal: AbortSignal };

/**
 * Tells an agent which session it has, for life; the same again is no error.
 * @returns the route by which it was told, over the connection that the first step uses
 * @throws AgentError
 */
export async function tellAgent(
  { agents }: { agents: Pick<AgentClient, 'call' | 'newToken'> },
  { session, env, sandbox, signal }: Telling,
): Promise<Route> {
  const { tenant, language, epoch } = session;
  const { name: sandboxName, uid, endpoint, agentPublicKey } = sandbox;
  const subject = { sessionId: session.id, sandboxUid: uid, epoch };
  const token = await agents.newToken(subject);
  const route = { ...subject, endpoint, agentPublicKey, token, tenant, language, sandboxName };
  await agents.call(route, { method: 'PUT', path: '/v1/session', body: { language, env }, signal, withSteps: true });
  return route;
}
