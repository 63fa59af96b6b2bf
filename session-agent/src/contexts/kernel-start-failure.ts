import type { Cause } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';

const startMsMax = 30_000;

/** A kernel did not become ready. `reason` is the cause of the steps that needed it. */
export class KernelStartFailure extends Error {
  override name = 'KernelStartFailure';
  readonly reason: Cause;

  constructor(reason: Cause) {
    super(reason.message ?? reason.code);
    this.reason = reason;
  }
}

/** Waits until a kernel is ready, and kills it after 30 seconds. @throws KernelStartFailure */
export async function untilReady(kernel: Kernel): Promise<void> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void kernel.kill();
  }, startMsMax);
  try {
    await kernel.ready;
  } catch {
    const message = 'the kernel was not ready in time';
    throw new KernelStartFailure(isLate ? { code: 'kernel_killed', message } : await kernel.exited);
  } finally {
    clearTimeout(timer);
  }
}
