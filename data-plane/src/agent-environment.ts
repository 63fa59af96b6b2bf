import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    // Sources are run as they are; a second agent need not compile them again, which halves the time until it answers.
    NODE_COMPILE_CACHE: join(config.dataDir, 'compile-cache'),
    HOLDFAST_ENV: config.env,
    HOLDFAST_AGENT_ISSUER: config.deployment,
    HOLDFAST_AGENT_LEASE_SECONDS: String(config.agent.leaseSeconds),
    ...(keys && { HOLDFAST_AGENT_TOKEN_KEYS: JSON.stringify(keys.publicKeys) }),
    ...(!keys && { HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' }),
    ...(config.agent.python && { HOLDFAST_PYTHON: config.agent.python }),
  };
}
