import type { Kernel } from '../kernel.ts';

/** A kernel whose process is still being started. If `coming` rejects, the kernel counts as dead before it was ready, for that reason. */
export function createPendingKernel(coming: Promise<Kernel>): Kernel {
  let kernel: Kernel | null = null;
  const ready = coming.then((come) => {
    kernel = come;
    return come.ready;
  });
  ready.catch(() => {});
  const exited = coming.then(
    (come) => come.exited,
    (error) => ({ code: 'kernel_exited', message: String(error?.message ?? error).slice(0, 2048) }) as const,
  );
  return {
    get pid() {
      return kernel?.pid ?? 0;
    },
    ready,
    exited,
    execute: async (step, sink) => (kernel ?? (await coming)).execute(step, sink),
    input: (stepId, text) => kernel?.input(stepId, text),
    interrupt: () => kernel?.interrupt(),
    symbols: async () => (await coming).symbols(),
    complete: async (at) => (await coming).complete(at),
    inspect: async (at) => (await coming).inspect(at),
    parse: async (code) => (await coming).parse(code),
    snapshot: async (wanted) => (await coming).snapshot(wanted),
    recover: async (wanted) => (await coming).recover(wanted),
    get isConfined() {
      return kernel?.isConfined ?? false;
    },
    kill: () =>
      coming.then(
        (come) => come.kill(),
        () => {},
      ),
  };
}
