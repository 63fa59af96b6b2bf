import type { Cause } from '@holdfast/specs/public';
import type { Kernel, KernelOptions, KernelStepEnd, StartKernel, StepSink } from '../../src/kernel-process/kernel.ts';

/** The behaviour of a scripted kernel. By default each part behaves well. */
export type Script = {
  /** Rejects or stays pending if the kernel does not start. */
  ready?: (kernel: { die: (cause: Cause) => void; died: Promise<Cause> }) => Promise<void>;
  /** Runs the code of a step. */
  step?: (step: {
    code: string;
    sink: StepSink;
    interrupted: Promise<void>;
    die: (cause: Cause) => void;
  }) => Promise<KernelStepEnd>;
  ignoresInterrupts?: boolean;
  symbols?: Kernel['symbols'];
  complete?: Kernel['complete'];
  snapshot?: Kernel['snapshot'];
  recover?: Kernel['recover'];
};

export type ScriptedKernel = Kernel & { options: KernelOptions; die: (cause: Cause) => void };

/** Kernels without a process, for faults that a real kernel does not show on demand. `started` lists the kernels that were started. */
export function scriptedKernels(script: Script = {}): { startKernel: StartKernel; started: ScriptedKernel[] } {
  const started: ScriptedKernel[] = [];
  const startKernel: StartKernel = (options) => {
    const kernel = scriptedKernel(script, options);
    started.push(kernel);
    return kernel;
  };
  return { startKernel, started };
}

export const succeeded: KernelStepEnd = { status: 'succeeded', streamIncomplete: false };

function scriptedKernel(script: Script, options: KernelOptions): ScriptedKernel {
  const exit = Promise.withResolvers<Cause>();
  const die = (cause: Cause) => exit.resolve(cause);
  let interrupt = Promise.withResolvers<void>();
  const run = script.step ?? (async () => succeeded);

  return {
    pid: 0,
    options,
    die,
    ready: script.ready ? script.ready({ die, died: exit.promise }) : Promise.resolve(),
    exited: exit.promise,
    execute({ code }, sink) {
      interrupt = Promise.withResolvers<void>();
      const died = exit.promise.then((cause) => ({ status: 'died', streamIncomplete: false, cause }) as const);
      return Promise.race([run({ code, sink, interrupted: interrupt.promise, die }), died]);
    },
    interrupt() {
      if (!script.ignoresInterrupts) interrupt.resolve();
    },
    input() {},
    symbols: script.symbols ?? (async () => []),
    complete: script.complete ?? (async ({ cursor }) => ({ matches: [], start: cursor, end: cursor })),
    inspect: async () => ({ found: false, data: {} }),
    parse: async () => ({ status: 'unknown', indent: '' }),
    snapshot: script.snapshot ?? (async () => {}),
    recover: script.recover ?? (async () => ({ restored: [], replayed: [], lost: [], stopped: null })),
    isConfined: options.isConfined ?? false,
    async kill() {
      die({ code: 'kernel_killed', signal: 'SIGKILL' });
    },
  };
}
