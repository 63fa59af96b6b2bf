import type { Config } from '../config/parse-config.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';

/** The environment of session-agents in every runtime. Code in the sandbox can read it, so it holds no secret. Pure. */
export function agentEnvironment(
  { env, deployment, agent }: Pick<Config, 'env' | 'deployment' | 'agent'>,
  keys: Pick<SigningKeys, 'publicKeys'> | null,
): Record<string, string> {
  return {
    HOLDFAST_ENV: env,
    HOLDFAST_AGENT_ISSUER: deployment,
    HOLDFAST_AGENT_LEASE_SECONDS: String(agent.leaseSeconds),
    ...(agent.pythonPreload && { HOLDFAST_AGENT_PYTHON_PRELOAD: agent.pythonPreload }),
    ...(keys && { HOLDFAST_AGENT_TOKEN_KEYS: JSON.stringify(keys.publicKeys) }),
    ...(!keys && { HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' }),
  };
}
