import type { KernelOptions } from './kernel.ts';
import type { KernelConfig } from './kernel-config.ts';
import type { KernelProcess } from './spawn-kernel.ts';
import { suitsZygote } from './zygote-environment.ts';
import { becomeKernel, discard, type ForkedKernel } from './zygote-kernel.ts';
import { startZygote, type ZygoteProcess } from './zygote-process.ts';

const restartMsMin = 1000;
const restartMsMax = 300_000;
/** The next kernel is forked once the work is done for which the last one was wanted at once. */
const refillMs = 20;

/** `preload` names libraries; those that cannot be imported are left out. */
export type ZygoteOptions = { preload: readonly string[]; startAfterMs: number };

/** What forks Python kernels from a process that has everything loaded. Whatever it cannot do, a kernel started by itself can. */
export type Zygote = {
  /** The process of a new kernel; null where it must be started by itself, as the promise may find out as well. Never rejects. */
  take(options: KernelOptions): Promise<KernelProcess | null> | null;
  /** Whether the next `take` finds a kernel that is forked already. */
  isWarm(): boolean;
  /** Forks nothing any more. Kernels that were taken live on. */
  end(): void;
};

/**
 * Keeps one zygote alive and one forked process in reserve. A zygote that dies is started anew after a while, twice as long each time
 * until one has been of use: code in the sandbox can kill it as often as it likes.
 */
export function createZygote(config: KernelConfig, { preload, startAfterMs }: ZygoteOptions): Zygote {
  let zygote: ZygoteProcess | null = null;
  let reserve: Promise<ForkedKernel | null> | null = null;
  let isWarm = false;
  let restartMs = restartMsMin;
  let isEnded = false;
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
      if (isEnded) return;
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
      // One that ends while it waits is not replaced at once, as that could go on for ever.
      else void forked.ended.then(() => reserve === forking && dropReserve());
    });
  }

  function dropReserve(): void {
    void reserve?.then((forked) => forked && discard(forked));
    reserve = null;
    isWarm = false;
  }

  /** A zygote that does not answer is of no use any more. */
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

/** A timer that keeps no process alive. */
function later(work: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(work, ms).unref();
}
