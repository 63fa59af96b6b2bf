import type { KernelOptions } from '../kernel.ts';
import type { KernelConfig } from '../kernel-config.ts';
import type { KernelProcess } from '../kernel-process.ts';
import { becomeKernel, discardForked, type ForkedKernel } from './become-kernel.ts';
import { suitsZygote } from './suits-zygote.ts';
import { startZygote, type ZygoteProcess } from './zygote-process.ts';

const restartMsMin = 1000;
const restartMsMax = 300_000;
/** Delay before the next kernel is forked, so that the work that waits for the last one comes first. */
const refillMs = 20;

/** `preload` names libraries to import; those that cannot be imported are skipped. */
export type ZygoteOptions = { preload: readonly string[]; startAfterMs: number };

/** Forks Python kernels from a process that has imported their libraries. If it cannot, the kernel is started with its own interpreter. */
export type Zygote = {
  /** The process of a new kernel. Null, or a promise of null, if the kernel needs its own interpreter. Never rejects. */
  take(options: KernelOptions): Promise<KernelProcess | null> | null;
  /** Whether a forked process is ready for the next `take`. */
  isWarm(): boolean;
  /**
   * From now on none starts, and one that is about to be ready ends: a Python that starts reads the user's packages, whose code would run
   * in the zygote, which may start programs. One that is ready goes on.
   */
  startNoMore(): void;
  /** Ends the zygote. Kernels that were taken live on. */
  end(): void;
};

/**
 * Runs one zygote, with one forked process in reserve. A zygote that dies is restarted after a delay that doubles each time, until it has
 * provided a kernel again: code in the sandbox can kill the zygote as often as it likes.
 */
export function createZygote(config: KernelConfig, { preload, startAfterMs }: ZygoteOptions): Zygote {
  let zygote: ZygoteProcess | null = null;
  let reserve: Promise<ForkedKernel | null> | null = null;
  let isWarm = false;
  let restartMs = restartMsMin;
  let isEnded = false;
  let mayStart = true;
  let timer = later(start, startAfterMs);

  function start(): void {
    const mine = startOrNull(config, preload);
    if (!mine) return;
    mine.ready.then(() => {
      if (isEnded) return;
      zygote = mine;
      refill();
    });
    mine.ended.then(() => {
      dropReserve();
      zygote = null;
      if (isEnded || !mayStart) return;
      timer = later(start, restartMs);
      restartMs = Math.min(restartMs * 2, restartMsMax);
    });
    stop = mine.kill;
  }
  let stop = () => {};

  function refill(): void {
    if (!zygote || reserve) return;
    const forking = fork(zygote);
    reserve = forking;
    void forking.then((forked) => {
      if (reserve !== forking) return;
      isWarm = forked !== null;
      if (!forked) reserve = null;
      // A process that ends while it is in reserve is not replaced at once, as that could repeat for ever.
      else void forked.ended.then(() => reserve === forking && dropReserve());
    });
  }

  function dropReserve(): void {
    void reserve?.then((forked) => forked && discardForked(forked));
    reserve = null;
    isWarm = false;
  }

  /** Kills a zygote that does not answer. */
  async function fork(from: ZygoteProcess): Promise<ForkedKernel | null> {
    try {
      return await from.fork();
    } catch {
      from.kill();
      return null;
    }
  }

  async function begin(coming: Promise<ForkedKernel | null>, from: ZygoteProcess, options: KernelOptions) {
    const forked = await coming;
    const kernel = forked && (await becomeKernel(config, forked, options));
    if (kernel === 'stale') {
      restartMs = restartMsMin;
      from.kill();
    }
    later(refill, refillMs);
    if (kernel === null || typeof kernel === 'string') return null;
    restartMs = restartMsMin;
    return kernel;
  }

  return {
    take(options) {
      if (!zygote || isEnded || options.limits || !suitsZygote(options.env, zygote.env)) return null;
      const coming = reserve ?? fork(zygote);
      reserve = null;
      isWarm = false;
      return begin(coming, zygote, options);
    },
    isWarm: () => isWarm,
    startNoMore() {
      mayStart = false;
      clearTimeout(timer);
      if (!zygote) stop();
    },
    end() {
      isEnded = true;
      clearTimeout(timer);
      dropReserve();
      stop();
    },
  };
}

function startOrNull(config: KernelConfig, preload: readonly string[]): ZygoteProcess | null {
  try {
    return startZygote(config, preload);
  } catch {
    return null;
  }
}

/** A timer that does not hold up the end of the process. */
function later(work: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(work, ms).unref();
}
