import type { KernelOptions } from './kernel.ts';
import type { KernelProcess, ProcessTree } from './kernel-process.ts';
import type { OperationsSocket } from './operations/operations-socket.ts';

/** The settings that all kernels of an agent share. */
export type KernelConfig = {
  /** Ends the tree of a kernel or a job, with all that is swept at the same time; see end/shared-sweeps.ts. */
  sweep(tree: ProcessTree): Promise<void>;
  /** The real interpreter, not a version manager's shim; see start/find-python.ts. */
  python: string;
  /** A folder that Python kernels search after all others for packages, whether it exists yet or not. */
  pythonExtras?: string | undefined;
  node: string;
  /** Whether Python is installed. Kernels of other languages need its help to adopt orphans; see ../languages/README.md. */
  hasPython?: boolean;
  /** `PATH` and `HOME` of the kernels. */
  path: string;
  home: string;
  /** Folders of JUPYTER_PATH, which contain further Jupyter kernels. */
  jupyterPath?: readonly string[];
  /** Further variables of all programs in the sandbox, which the session's own override. */
  env?: Readonly<Record<string, string>>;
  /** Marks all processes of the sandbox, so that its runtime finds them when it destroys the sandbox. */
  sandboxUid?: string;
  /** The folder for temporary files of the programs in the sandbox. */
  tmp: string;
  /** The folder for those of the agent, such as the FIFOs of a kernel's output. */
  agentTmp: string;
  /** Files of the cgroup with a counter line `oom_kill N`; see end/memory-events.ts. */
  memoryEvents?: readonly string[];
  /** Takes the calls of operations. Without it, code has none. */
  operations?: OperationsSocket;
  /** Forks Python kernels; see zygote/zygote.ts. `take` gives null if the kernel must be started without it, and never rejects. */
  zygote?: { take(options: KernelOptions): Promise<KernelProcess | null> | null };
};
