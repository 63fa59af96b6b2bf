import type { KernelConfig } from '../../kernel-process/kernel-config.ts';
import { createDirectStarter } from './direct-starter.ts';
import { type ProcessHost, startProcessHost } from './process-host.ts';
import { NotStartedError, type ProcessStarter } from './process-starter.ts';

/**
 * Starts processes below a small process of their own, which begins with the first of them and is replaced if code has killed it. Without
 * Python they are the agent's own children.
 */
export function createProcessStarter(config: KernelConfig): ProcessStarter {
  if (!config.hasPython) return createDirectStarter(config);
  let host: ProcessHost | null = null;
  const alive = () => {
    if (!host?.isAlive) host = startProcessHost(config);
    return host;
  };
  return {
    async makeFifos(names) {
      const { folder } = await alive().ask({ type: 'fifos', names });
      if (folder === undefined) throw new NotStartedError('EIO');
      return folder;
    },
    async start(program) {
      const own = alive();
      const { pid } = await own.ask({ type: 'start', ...program });
      if (pid === undefined) throw new NotStartedError('EIO');
      return own.follow(pid);
    },
    async endAll() {
      if (host?.isAlive) await host.ask({ type: 'end' }).catch(() => {});
    },
  };
}
