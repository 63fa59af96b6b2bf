import type { AgentPolicy } from '@holdfast/specs/agent';
import type { StoredPolicy } from './resolve-policy.ts';

/** The part of a session's policy that its agent enforces. Pure. */
export const agentPolicy = (session: { policy: StoredPolicy; policyRevision: number }): AgentPolicy => ({
  revision: session.policyRevision,
  allowShellCommands: session.policy?.execution.allowShellCommands ?? true,
});
