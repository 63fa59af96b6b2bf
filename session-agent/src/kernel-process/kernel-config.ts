import type { Zygote } from './zygote.ts';

/** What all kernels of an agent have in common. */
export type KernelConfig = {
  /** The real interpreter, not a version manager's shim; see find-python.ts. */
  python: string;
  node: string;
  /** Whether the Python is there, so that kernels of other languages adopt orphans by its help; see ../languages/README.md. */
  hasPython?: boolean;
  /** `PATH` and `HOME` of the kernels. */
  path: string;
  home: string;
  /** Marks all processes of the sandbox for the sweep of its runtime. */
  sandboxUid?: string;
  /** The system's folder for temporary files. */
  tmp: string;
  /** Files of the cgroup in which a line `oom_kill N` counts; see memory-events.ts. */
  memoryEvents?: readonly string[];
  /** Where Python kernels come from when they can; see zygote.ts. */
  zygote?: Zygote;
};
