import type { AgentClient, AgentTarget } from '../../agent/agent-client.ts';
import type { Seal } from '../../keys/seal.ts';
import { agentPolicy } from '../../policy/rules/agent-policy.ts';
import { decideLanguage } from '../../policy/rules/decide.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import type { ReadySandbox } from '../../registry/warm-sandboxes/claim-warm-sandbox.ts';

export type AssignDependencies = {
  agents: Pick<AgentClient, 'call' | 'newToken'>;
  seal: Pick<Seal, 'close'>;
};

type Assignment = { session: SessionRow; env: Record<string, string>; sandbox: ReadySandbox; signal: AbortSignal };

/** A sandbox that can be bound to its session: its agent knows the session. */
export type AssignedSandbox = {
  sandbox: ReadySandbox;
  target: AgentTarget;
  sealedToken: string;
  /** The contextEpoch of its first kernels. */
  firstContextEpoch: number;
};

/**
 * Assigns a session to a sandbox for life: tells its agent the session, over the connection that the first step will use. A repeat
 * succeeds, too.
 * @throws AgentError
 */
export async function assignSession(
  { agents, seal }: AssignDependencies,
  { session, env, sandbox, signal }: Assignment,
): Promise<AssignedSandbox> {
  const { id: sessionId, language, epoch } = session;
  const { uid, endpoint, agentPublicKey } = sandbox;
  const subject = { sessionId, sandboxUid: uid, epoch };
  const token = await agents.newToken(subject);
  const target = { ...subject, endpoint, agentPublicKey, token };
  // Until its bind the first sandbox runs nothing, so it starts at 1, however often its start is repeated.
  const firstContextEpoch = epoch === 1 ? 1 : session.contextEpochMax + 1;
  // An agent of an earlier version does not know these fields.
  const first = firstContextEpoch > 1 ? { firstContextEpoch } : {};
  const keeps = session.recovery === 'auto' ? { keepsState: true } : {};
  const policy = session.policy || session.policyRevision > 0 ? { policy: agentPolicy(session) } : {};
  const body = {
    language,
    env,
    prestart: session.jobId === null && decideLanguage(session.policy, language).allowed,
    ...first,
    ...keeps,
    ...policy,
  };
  const call = { method: 'PUT', path: '/v1/session', body, signal, withSteps: true } as const;
  const [sealedToken] = await Promise.all([seal.close(token.token), agents.call(target, call)]);
  return { sandbox, target, sealedToken, firstContextEpoch };
}
