import { availableParallelism } from 'node:os';
import type { KernelOptions } from './kernel.ts';
import type { KernelConfig } from './kernel-config.ts';

/** Numerical libraries otherwise start a thread for every core of the machine, in every process, and a sandbox may have few of either. */
const threadsMax = 8;

/** All of a kernel's environment: nothing comes from the agent's own. `marker` finds the kernel's descendants again. */
export function kernelEnvironment(
  config: KernelConfig,
  options: Pick<KernelOptions, 'env'>,
  marker: string,
): Record<string, string> {
  const env: Record<string, string> = {
    PATH: config.path,
    HOME: config.home,
    TMPDIR: config.tmp,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
    MPLBACKEND: 'agg',
    // Caches beside the modules of the workspace would be files that steps have made.
    PYTHONDONTWRITEBYTECODE: '1',
    OMP_NUM_THREADS: String(Math.min(availableParallelism(), threadsMax)),
    ...options.env,
    HOLDFAST_KERNEL: marker,
  };
  if (config.sandboxUid) env.HOLDFAST_SANDBOX_UID = config.sandboxUid;
  return env;
}
