import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import { createDirectStarter } from './direct-starter.ts';
import { type ProcessHost, startProcessHost } from './process-host.ts';
import type { ProcessStarter } from './process-starter.ts';

/**
 * Starts processes below a small process of their own, which begins with the first of them and is replaced if code has killed it. Without
 * Python they are the agent's own children.
 */
export function createProcessStarter(config: KernelConfig): ProcessStarter {
  if (!config.hasPython) return createDirectStarter(config);
  let host: ProcessHost | null = null;
  return {
    async start(program) {
      if (!host?.isAlive) host = startProcessHost(config);
      return host.start(program);
    },
    async endAll() {
      await host?.endAll();
    },
  };
}
