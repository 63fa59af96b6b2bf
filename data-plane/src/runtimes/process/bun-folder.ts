import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The folder of the bun that npm has installed beside the agent; null where it has none for this machine. `agentMain` is the agent's program. */
export function bunFolder(agentMain: string): string | null {
  const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch;
  try {
    return dirname(createRequire(agentMain).resolve(`@oven/bun-linux-${architecture}/bin/bun`));
  } catch {
    return null;
  }
}
