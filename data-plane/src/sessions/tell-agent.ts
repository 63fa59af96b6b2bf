import type { AgentClient } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import type { ReadySandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import type { Route } from './sandbox-routes.ts';

type Telling = { session: SessionRow; env: Record<string, string>; sandbox: ReadySandbox; signal: AbortSignal };

/** What a session can be bound to: its agent knows it. */
export type Told = { route: Route; node: string; sealedToken: string };

/**
 * Tells an agent which session it has, for life, over the connection that the first step uses; the same again is no error.
 * @throws AgentError
 */
export async function tellAgent(
  { agents, seal }: { agents: Pick<AgentClient, 'call' | 'newToken'>; seal: Pick<Seal, 'close'> },
  { session, env, sandbox, signal }: Telling,
): Promise<Told> {
  const { tenant, language, epoch } = session;
  const { name: sandboxName, uid, node, endpoint, agentPublicKey } = sandbox;
  const subject = { sessionId: session.id, sandboxUid: uid, epoch };
  const token = await agents.newToken(subject);
  const route = { ...subject, endpoint, agentPublicKey, token, tenant, language, sandboxName };
  const body = { language, env, prestart: session.jobId === null };
  const call = { method: 'PUT', path: '/v1/session', body, signal, withSteps: true } as const;
  const [sealedToken] = await Promise.all([seal.close(token.token), agents.call(route, call)]);
  return { route, node, sealedToken };
}
