import type { KernelConfig } from '../kernel-process/kernel-config.ts';

/** What all jobs of an agent have in common. */
export type JobConfig = Pick<
  KernelConfig,
  'python' | 'hasPython' | 'node' | 'path' | 'home' | 'tmp' | 'sandboxUid' | 'memoryEvents'
> & { workspace: string };
