import { sweepMarked } from '../../kernel-process/end/sweep-marked.ts';
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
  /** Those of all that were started: a host that code has killed does not end what they left behind. */
  const markers = new Set<string>();
  const { sweep } = config;
  const onUnwatched = (marker: string) => {
    // Each is swept once, whatever a host says that code has taken over.
    if (markers.delete(marker)) void sweepMarked(new Set([marker]), sweep);
  };
  return {
    async start(program) {
      if (!host?.isAlive) host = startProcessHost(config, { onUnwatched });
      markers.add(`HOLDFAST_KERNEL=${program.env.HOLDFAST_KERNEL}`);
      return host.start(program);
    },
    async endAll() {
      await host?.endAll();
      await sweepMarked(markers, sweep);
    },
  };
}
