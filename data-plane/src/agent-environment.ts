import { tmpdir } from 'node:os';
import type { SigningKeys } from './agent/signing-keys.ts';
import type { Config } from './config.ts';

type Given = { path: string; home: string };

/** What session-agents are started with. The code in the sandbox can read it, so nothing in it is secret. Pure. */
export function agentEnvironment(
  config: Config,
  keys: SigningKeys | null,
  { path, home }: Given,
): Record<string, string> {
  return {
    PATH: path,
    HOME: home,
    TMPDIR: tmpdir(),
    HOLDFAST_ENV: config.env,
    HOLDFAST_AGENT_ISSUER: config.deployment,
    HOLDFAST_AGENT_LEASE_SECONDS: String(config.agent.leaseSeconds),
    ...(keys && { HOLDFAST_AGENT_TOKEN_KEYS: JSON.stringify(keys.publicKeys) }),
    ...(!keys && { HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' }),
    ...(config.agent.python && { HOLDFAST_PYTHON: config.agent.python }),
  };
}
