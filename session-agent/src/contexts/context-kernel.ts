import type { LostName, RecoveryReport } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { KernelStartFailure, untilReady } from './kernel-start-failure.ts';

/** A kernel that times out in as many steps in a row, and answers nothing in them, may be broken, or its code takes long. */
const silentStepsMax = 2;

/** Gives a new kernel the state of the one that was lost. Rejects if that takes too long or the kernel dies. */
type Revive = (kernel: Kernel) => Promise<RecoveryReport>;

type Options = { firstContextEpoch?: number; revive?: Revive | null };

/** `isDiscarded`: it was killed, perhaps while it was starting. Work that waits for it continues with the next kernel. */
type Incarnation = { kernel: Kernel; isReady: boolean; isDiscarded: boolean; ready: Promise<Kernel> };

/**
 * The kernel of one context. If it is lost or restarted, the next one takes its place under a new `contextEpoch`: that number goes up as
 * soon as memory is lost, even before the next kernel starts. A kernel is started only on demand and at most once per call, so a kernel
 * that cannot start causes no loop.
 */
export class ContextKernel {
  contextEpoch: number;
  #executionCount = 0;
  #silentCount = 0;
  #isResetUnannounced = false;
  #current: Incarnation | null = null;
  #dying: Promise<unknown> = Promise.resolve();
  #isRetired = false;
  #isLost = false;
  #silentSteps = 0;
  #startKernel: () => Kernel;
  #report: RecoveryReport | null = null;
  /** Whether the next kernel gets the state of the one before. */
  #isReviving = false;
  /** Whether that is not done yet, so that there is nothing to announce. */
  #isReportDue = false;
  /** Whether memory was lost, with a kernel or before a recovery, and no step has announced this yet. A request to drop it loses nothing. */
  #isLossUntold = false;
  #revive: Revive | null;

  constructor(startKernel: () => Kernel, { firstContextEpoch = 1, revive = null }: Options = {}) {
    this.#revive = revive;
    this.#startKernel = startKernel;
    this.contextEpoch = firstContextEpoch;
  }

  /** `dead` from the loss of a kernel until the next one is requested. Before the first kernel it is `starting`. */
  get state(): 'starting' | 'ready' | 'dead' {
    if (!this.#current) return this.#isLost || this.#isRetired ? 'dead' : 'starting';
    return this.#current.isReady ? 'ready' : 'starting';
  }

  /** The kernel if it can run a step at once, else null. */
  get readyKernel(): Kernel | null {
    return this.#current?.isReady ? this.#current.kernel : null;
  }

  /** Waits for a ready kernel, and starts one if none lives. @throws KernelStartFailure */
  async ready(): Promise<Kernel> {
    await this.#dying;
    if (!this.#current && this.#isRetired) throw new KernelStartFailure({ code: 'session_ended' });
    this.#current ??= this.#start();
    const incarnation = this.#current;
    try {
      const kernel = await incarnation.ready;
      // A kernel that is being killed may still become ready before it dies.
      if (!incarnation.isDiscarded) return kernel;
    } catch (failure) {
      if (!incarnation.isDiscarded) throw failure;
    }
    return await this.ready();
  }

  /**
   * Starts a kernel before it is needed. If that fails, the next use tries again and reports why. Starting a process blocks the agent for
   * milliseconds, so the current request is answered first.
   */
  prestart(): void {
    setImmediate(() => this.ready().catch(() => undefined));
  }

  /** Counts the execution that starts now, and returns its numbers. */
  nextExecution(): { contextEpoch: number; executionCount: number } {
    this.#executionCount += 1;
    return { contextEpoch: this.contextEpoch, executionCount: this.#executionCount };
  }

  /** The same for a silent step. Its execution count is that of the next step that is not. */
  nextSilentExecution(): { contextEpoch: number; executionCount: number; silentCount: number } {
    this.#silentCount += 1;
    const { contextEpoch } = this;
    return { contextEpoch, executionCount: this.#executionCount + 1, silentCount: this.#silentCount };
  }

  /** The report about memory that was lost since the last call; null if none was. */
  takeReset(): RecoveryReport | null {
    if (!this.#isResetUnannounced || this.#isReportDue) return null;
    this.#isResetUnannounced = false;
    this.#isLossUntold = false;
    const report = this.#report ?? nothingLeft;
    this.#report = null;
    return report;
  }

  /**
   * The names that were lost together with an earlier kernel and that no step has announced yet. Null while the next kernel has yet to get the
   * state of that one.
   */
  get untoldLoss(): readonly LostName[] | null {
    if (!this.#isLossUntold) return [];
    return this.#isReportDue ? null : (this.#report ?? nothingLeft).lost;
  }

  /** The execution count of the step that began last. */
  get executionCount(): number {
    return this.#executionCount;
  }

  /** The number of silent steps that have begun. */
  get silentCount(): number {
    return this.#silentCount;
  }

  /** Notes that the current kernel has recovered this state. The next step announces it: the session may have recovered by itself. */
  recovered(report: RecoveryReport): void {
    this.#noteReport(report);
    this.#isLossUntold = true;
  }

  /** Notes that this kernel has died. Does nothing if the context no longer uses it. */
  lost(kernel: Kernel): void {
    if (this.#current?.kernel !== kernel) return;
    const hadMemory = this.#current.isReady;
    this.#current = null;
    this.#isLost = true;
    this.#dying = kernel.exited;
    if (hadMemory) this.#reset();
    this.#isLossUntold ||= hadMemory;
    this.#revives(hadMemory || this.#isReviving);
  }

  /** Notes whether a step has timed out without any output, result or request. Returns whether the kernel is suspected. */
  noteSilence(isSilent: boolean): boolean {
    this.#silentSteps = isSilent ? this.#silentSteps + 1 : 0;
    return this.#silentSteps >= silentStepsMax;
  }

  /** Restarts unless the context no longer uses this kernel, which has then died or been killed. */
  async replace(kernel: Kernel): Promise<void> {
    if (this.#current?.kernel === kernel) await this.restart({ keepsState: true });
    else await this.#dying;
  }

  /** Kills the kernel and starts the next one, with the state of this one or without. */
  async restart({ keepsState = false } = {}): Promise<void> {
    const ended = this.#kill();
    this.#reset();
    this.#isLossUntold = keepsState;
    this.#revives(keepsState);
    await ended;
    this.prestart();
  }

  /** From now on no kernel starts; a living one stays. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Kills the kernel for good. */
  async close(): Promise<void> {
    this.retire();
    await this.#kill();
  }

  async #kill(): Promise<void> {
    const incarnation = this.#current;
    this.#current = null;
    if (incarnation) {
      incarnation.isDiscarded = true;
      this.#dying = incarnation.kernel.kill();
    }
    await this.#dying;
  }

  #reset(): void {
    this.contextEpoch += 1;
    this.#executionCount = 0;
    this.#silentCount = 0;
    this.#silentSteps = 0;
    this.#isResetUnannounced = true;
    this.#report = null;
  }

  #noteReport(report: RecoveryReport): void {
    this.#report = report;
    this.#isReportDue = false;
    this.#isResetUnannounced = true;
  }

  #revives(wanted: boolean): void {
    this.#isReviving = wanted && this.#revive !== null;
    this.#isReportDue = this.#isReviving;
  }

  #start(): Incarnation {
    let kernel: Kernel;
    try {
      kernel = this.#startKernel();
    } catch (error) {
      this.#isLost = true;
      const message = (error instanceof Error ? error.message : String(error)).slice(0, 2048);
      throw new KernelStartFailure({ code: 'kernel_exited', message });
    }
    this.#isLost = false;
    const incarnation: Incarnation = { kernel, isReady: false, isDiscarded: false, ready: Promise.resolve(kernel) };
    void kernel.exited.then(() => this.lost(kernel));
    incarnation.ready = untilReady(kernel).then(() => this.#reviveIfNeeded(incarnation));
    incarnation.ready.catch(() => this.lost(kernel));
    return incarnation;
  }

  #reviveIfNeeded(incarnation: Incarnation): Kernel | Promise<Kernel> {
    const { kernel } = incarnation;
    const ready = () => {
      incarnation.isReady = true;
      return kernel;
    };
    if (!this.#isReviving || !this.#revive) return ready();
    // A recovery that ends the kernel is not tried again.
    this.#isReviving = false;
    return this.#revive(kernel).then(
      (report) => {
        this.#noteReport(report);
        return ready();
      },
      (error) => {
        const reason = `the recovery failed: ${error.message}`.slice(0, 512);
        this.#noteReport({ ...nothingLeft, lost: [{ name: '*', reason }] });
        incarnation.isDiscarded = true;
        if (this.#current === incarnation) this.#current = null;
        this.#dying = kernel.kill();
        throw error;
      },
    );
  }
}

const nothingLeft: RecoveryReport = {
  restored: [],
  replayed: [],
  lost: [{ name: '*', reason: 'the kernel was lost' }],
  stopped: null,
};
