import type { Cause } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';

const startMsMax = 30_000;

/** Says why a kernel did not become ready. */
export class KernelStartFailure extends Error {
  override name = 'KernelStartFailure';
  readonly why: Cause;

  constructor(why: Cause) {
    super(why.message ?? why.code);
    this.why = why;
  }
}

/** `discarded` while it was perhaps still starting: who waits for it waits for the next. */
type Life = { kernel: Kernel; isReady: boolean; discarded: boolean; ready: Promise<Kernel> };

/**
 * The kernels of one context, one after the other. `contextEpoch` numbers the lives: it goes up as soon as memory is lost, so
 * that the next kernel, whenever it starts, is known under the new number. A kernel is only started when asked for, at most once
 * per call, so one that cannot live makes no loop.
 */
export class ContextKernel {
  contextEpoch = 1;
  #executionCount = 0;
  #resetUnannounced = false;
  #life: Life | null = null;
  #dying: Promise<unknown> = Promise.resolve();
  #retired = false;
  #isLost = false;
  #startKernel: () => Kernel;

  constructor(startKernel: () => Kernel) {
    this.#startKernel = startKernel;
  }

  /** `dead` once a kernel is lost and until the next is asked for; before the first one it is as good as `starting`. */
  get state(): 'starting' | 'ready' | 'dead' {
    if (!this.#life) return this.#isLost || this.#retired ? 'dead' : 'starting';
    return this.#life.isReady ? 'ready' : 'starting';
  }

  /** The kernel, where one can take a step at once. */
  get readyKernel(): Kernel | null {
    return this.#life?.isReady ? this.#life.kernel : null;
  }

  /** The kernel once it is ready; starts one where none lives. @throws KernelStartFailure */
  async ready(): Promise<Kernel> {
    await this.#dying;
    if (!this.#life && this.#retired) throw new KernelStartFailure({ code: 'session_ended' });
    this.#life ??= this.#start();
    const life = this.#life;
    try {
      const kernel = await life.ready;
      // One that is being killed may still come up before that.
      if (!life.discarded) return kernel;
    } catch (failure) {
      if (!life.discarded) throw failure;
    }
    return await this.ready();
  }

  /**
   * Starts a kernel ahead of its use; where that fails, the next use tries again and says why. Starting a process holds everything
   * up for milliseconds, so whoever asked gets its answer first.
   */
  prestart(): void {
    setImmediate(() => this.ready().catch(() => undefined));
  }

  /** Numbers the execution that starts now. */
  nextExecution(): { contextEpoch: number; executionCount: number } {
    this.#executionCount += 1;
    return { contextEpoch: this.contextEpoch, executionCount: this.#executionCount };
  }

  /** Whether memory was lost since the last call. */
  takeReset(): boolean {
    const reset = this.#resetUnannounced;
    this.#resetUnannounced = false;
    return reset;
  }

  /** Notes that this kernel has died; nothing happens where it is no longer the context's. */
  lost(kernel: Kernel): void {
    if (this.#life?.kernel !== kernel) return;
    const hadMemory = this.#life.isReady;
    this.#life = null;
    this.#isLost = true;
    this.#dying = kernel.exited;
    if (hadMemory) this.#reset();
  }

  /** Ends the kernel and begins another life. */
  async restart(): Promise<void> {
    const ended = this.#end();
    this.#reset();
    await ended;
    this.prestart();
  }

  /** Starts no kernel any more; the one that lives stays. */
  retire(): void {
    this.#retired = true;
  }

  /** Ends the kernel for good. */
  async close(): Promise<void> {
    this.retire();
    await this.#end();
  }

  async #end(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    if (life) {
      life.discarded = true;
      this.#dying = life.kernel.kill();
    }
    await this.#dying;
  }

  #reset(): void {
    this.contextEpoch += 1;
    this.#executionCount = 0;
    this.#resetUnannounced = true;
  }

  #start(): Life {
    let kernel: Kernel;
    try {
      kernel = this.#startKernel();
    } catch (error) {
      this.#isLost = true;
      throw new KernelStartFailure({ code: 'kernel_exited', message: text(error).slice(0, 2048) });
    }
    this.#isLost = false;
    const life: Life = { kernel, isReady: false, discarded: false, ready: Promise.resolve(kernel) };
    void kernel.exited.then(() => this.lost(kernel));
    life.ready = readyInTime(kernel).then(() => {
      life.isReady = true;
      return kernel;
    });
    life.ready.catch(() => this.lost(kernel));
    return life;
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function readyInTime(kernel: Kernel): Promise<void> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void kernel.kill();
  }, startMsMax);
  try {
    await kernel.ready;
  } catch {
    const message = 'the kernel was not ready in time';
    throw new KernelStartFailure(late ? { code: 'kernel_killed', message } : await kernel.exited);
  } finally {
    clearTimeout(timer);
  }
}
