import { availableParallelism } from 'node:os';
import type { KernelOptions } from '../kernel.ts';
import type { KernelConfig } from '../kernel-config.ts';
import { withOperations } from './operation-variables.ts';

/** By default, numerical libraries start a thread for each core of the machine in each process, and a sandbox may have few cores. */
const threadsMax = 8;

/** The whole environment of a kernel. It inherits nothing from the agent's. `marker` identifies the kernel's descendants. */
export function kernelEnvironment(
  config: KernelConfig,
  options: Pick<KernelOptions, 'env' | 'isConfined'>,
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
    // Otherwise caches beside modules of the workspace would be reported as files that steps created.
    PYTHONDONTWRITEBYTECODE: '1',
    OMP_NUM_THREADS: String(Math.min(availableParallelism(), threadsMax)),
    ...config.env,
    ...options.env,
    HOLDFAST_KERNEL: marker,
  };
  // The kernel then keeps its code from starting programs.
  if (options.isConfined) env.HOLDFAST_CONFINED = 'yes';
  if (config.sandboxUid) env.HOLDFAST_SANDBOX_UID = config.sandboxUid;
  return withOperations(env, config);
}
