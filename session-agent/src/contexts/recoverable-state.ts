import type { PastStep, RecoveredContext, TakeSnapshot } from '@holdfast/specs/agent';
import { Problem, type RecoveryReport, type StepStatus } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { ContextState } from '../state/context-state.ts';
import { makeRecoveryFolder } from '../state/recovery-folder.ts';
import { type ArchiveFile, takeArchive } from '../state/take-archive.ts';
import type { ContextKernel } from './context-kernel.ts';
import type { QueuedStep } from './run-step.ts';
import type { StepQueue } from './step-queue.ts';

export type TakenSnapshot = { contextEpoch: number; executionCount: number; archive: ArchiveFile };

type Dependencies = {
  tmp: string;
  contextKernel: ContextKernel;
  queue: StepQueue;
  /** Whether to keep what a kernel needs that follows one that was lost. */
  keeps: boolean;
};

type Execution = { status: StepStatus; executionCount: number };

/** For a kernel that follows a lost one. No client waits for it, but steps do. */
const reviveMsMax = 60_000;

/** Saves the state of a context and gives it back, from a client's archive or, if the kernel alone was lost, from what the agent has kept. */
export class RecoverableState {
  #deps: Dependencies;
  #kept = new ContextState();
  #isSaving = false;
  /** Whether the kernel began with a state, so that there is something to save before the first step. */
  #hasState = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  note({ stepId, code, comm, replay = false }: QueuedStep, { status, executionCount }: Execution): void {
    // The handlers of a front end's message can do anything.
    const step: PastStep = { stepId, code: comm ? 'exec("")' : code, status, replay: replay && !comm };
    this.#kept.note(step, executionCount);
  }

  async snapshot({ bytesMax, timeoutMs }: TakeSnapshot): Promise<TakenSnapshot | null> {
    const { contextKernel, queue, tmp, keeps } = this.#deps;
    if (queue.busy || this.#isSaving) throw busy();
    const { contextEpoch, executionCount } = contextKernel;
    if (executionCount === 0 && !this.#hasState) return null;
    const kernel = contextKernel.readyKernel;
    if (!kernel) throw busy();
    this.#isSaving = true;
    const answered = Promise.withResolvers<void>();
    try {
      const taking = takeArchive({ kernel, tmp, bytesMax, timeoutMs, onAnswered: answered.resolve });
      void queue.pauseFor(answered.promise);
      const archive = await taking;
      if (!keeps || contextKernel.contextEpoch !== contextEpoch) return { contextEpoch, executionCount, archive };
      await this.#kept.replace(archive, executionCount);
      return { contextEpoch, executionCount, archive: { ...archive, remove: async () => {} } };
    } finally {
      this.#isSaving = false;
    }
  }

  async recover(
    { archive, steps, timeoutMs }: Loading,
    { isSupported }: { isSupported: boolean },
  ): Promise<RecoveredContext> {
    const { contextKernel, queue } = this.#deps;
    if (queue.busy) throw busy();
    const report = await queue.pauseFor(
      isSupported ? this.#load({ archive, steps, timeoutMs }) : Promise.resolve(notSupported(steps)),
    );
    this.#hasState = true;
    contextKernel.recovered(report);
    if (this.#deps.keeps) await this.#kept.begin(archive, steps);
    else await archive?.remove();
    return { contextEpoch: contextKernel.contextEpoch, ...report };
  }

  /** Gives a kernel that follows a lost one the state that was kept. */
  async revive(kernel: Kernel): Promise<RecoveryReport> {
    const { archive, steps, isComplete } = this.#kept;
    if (!isComplete) throw new Error('too much code ran since the last snapshot');
    const report = await recoverWith(kernel, { tmp: this.#deps.tmp, archive, steps, timeoutMs: reviveMsMax });
    this.#hasState = true;
    return report;
  }

  /** The next kernel begins with nothing. */
  async forget(): Promise<void> {
    this.#hasState = false;
    await this.#kept.forget();
  }

  async #load({ archive, steps, timeoutMs }: Loading): Promise<RecoveryReport> {
    const { contextKernel, tmp } = this.#deps;
    if (contextKernel.executionCount > 0 || this.#hasState) await contextKernel.restart();
    const kernel = await contextKernel.ready();
    try {
      return await recoverWith(kernel, { tmp, archive: archive?.path ?? null, steps, timeoutMs });
    } catch (cause) {
      // Its state is not known.
      await contextKernel.replace(kernel);
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Problem('sandbox-failed', { detail: `the state could not be recovered: ${why}`.slice(0, 900), cause });
    }
  }
}

export type Loading = { archive: ArchiveFile | null; steps: readonly PastStep[]; timeoutMs: number };

type Recovering = { tmp: string; archive: string | null; steps: readonly PastStep[]; timeoutMs: number };

async function recoverWith(kernel: Kernel, { tmp, archive, steps, timeoutMs }: Recovering): Promise<RecoveryReport> {
  const made = await makeRecoveryFolder(tmp, { archive, steps });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([kernel.recover({ folder: made.folder, timeoutMs }), late]);
  } finally {
    clearTimeout(timer);
    await made.remove();
  }
}

const busy = () => new Problem('context-busy', { detail: 'the context runs a step, or is being saved' });

function notSupported(steps: readonly PastStep[]): RecoveryReport {
  const lost = steps.length > 0 ? [{ name: '*', reason: 'this language cannot save its state' }] : [];
  return { restored: [], replayed: [], lost, stopped: null };
}
