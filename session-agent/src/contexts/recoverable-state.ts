import type { PastStep, RecoveredContext, TakeSnapshot } from '@holdfast/specs/agent';
import { Problem, type RecoveryReport, reportedNamesMax, type StepStatus } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { addLost } from '../state/add-lost.ts';
import { ArchiveFifo } from '../state/archive-fifo.ts';
import { ContextState } from '../state/context-state.ts';
import { findManifest } from '../state/read-manifest.ts';
import { makeRecoveryFolder, type RecoveryFolder } from '../state/recovery-folder.ts';
import { isReplayable, nothingReplayed, replaySteps } from '../state/replay-steps.ts';
import { type ArchiveFile, takeArchive } from '../state/take-archive.ts';
import type { ContextKernel } from './context-kernel.ts';
import { KernelStartFailure } from './kernel-start-failure.ts';
import type { QueuedStep } from './run-step.ts';
import type { StepQueue } from './step-queue.ts';

/** `isFork`: the state begins another session, so this one keeps nothing of it for itself. */
export type WantedSnapshot = TakeSnapshot & { isFork: boolean };

export type TakenSnapshot = {
  contextEpoch: number;
  executionCount: number;
  silentCount: number;
  archive: ArchiveFile;
};

type Dependencies = {
  tmp: string;
  contextKernel: ContextKernel;
  queue: StepQueue;
  /** Whether to keep what a kernel needs that follows one that was lost. */
  keeps: boolean;
};

/** For a kernel that follows a lost one. No client waits for it, but steps do. */
const reviveMsMax = 60_000;

/** Saves the state of a context and gives it back, from a client's archive or, if the kernel alone was lost, from what the agent has kept. */
export class RecoverableState {
  #deps: Dependencies;
  readonly #fifo: ArchiveFifo;
  #kept = new ContextState();
  #isRecovering = false;
  /** The snapshot that is under way. */
  #saving: Promise<unknown> | null = null;
  /** Whether the kernel's state before its first step differs from a fresh one, so that it is worth saving. */
  #hasState = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#fifo = new ArchiveFifo(deps.tmp);
  }

  note({ stepId, code, comm, isSilent, expressions, calls, replay = false }: QueuedStep, status: StepStatus): void {
    // The handlers of a front end's message can do anything.
    if (comm) this.#kept.note({ stepId, code: 'exec("")', status, replay: false });
    else if (isSilent) this.#kept.note(onlyEffects(stepId, code));
    else this.#kept.note({ stepId, code, status, replay, ...(replay && { calls: calls.past }) });
    if (expressions && status !== 'failed') this.#kept.note(onlyEffects(stepId, Object.values(expressions).join('\n')));
  }

  async snapshot(wanted: WantedSnapshot): Promise<TakenSnapshot | null> {
    for (let earlier = this.#earlier(); earlier; earlier = this.#earlier()) await earlier;
    const taking = this.#take(wanted);
    this.#saving = taking
      .catch(() => {})
      .finally(() => {
        this.#saving = null;
      });
    return await taking;
  }

  async #take({ isFork, ...limits }: WantedSnapshot): Promise<TakenSnapshot | null> {
    const { contextKernel, queue, tmp, keeps } = this.#deps;
    const kernel = await this.#kernelToSave();
    if (!kernel) return null;
    if (queue.busy) throw busy();
    const { contextEpoch, executionCount, silentCount, untoldLoss } = contextKernel;
    const counts = { contextEpoch, executionCount, silentCount };
    const { noted } = this.#kept;
    const answered = Promise.withResolvers<void>();
    try {
      const taking = takeArchive({ kernel, fifo: this.#fifo, tmp, isFork, ...limits, onAnswered: answered.resolve });
      void queue.pauseFor(answered.promise);
      const archive = await addLost(await taking, untoldLoss ?? []);
      const isKept = keeps && !isFork && contextKernel.contextEpoch === contextEpoch;
      if (!isKept) return { ...counts, archive };
      await this.#kept.replace(archive, noted);
      return { ...counts, archive: { ...archive, remove: async () => {} } };
    } finally {
      // A kernel that saves its state without an answer holds up no step.
      answered.resolve();
    }
  }

  /**
   * The kernel that has the state; null if there is none. The kernel of a state that is to be brought back is waited for: without it, the
   * state would be missing without a word.
   * @throws Problem `context-busy`, or `snapshot-refused` if the state was lost with its kernel
   */
  async #kernelToSave(): Promise<Kernel | null> {
    const { contextKernel } = this.#deps;
    // A failure is in the loss that is read next.
    if (contextKernel.untoldLoss === null) await contextKernel.ready().catch(() => {});
    if (!this.#hasMemory) {
      if (contextKernel.untoldLoss?.length === 0) return null;
      throw ended();
    }
    if (contextKernel.state === 'dead') throw ended();
    if (!contextKernel.readyKernel) throw busy();
    return contextKernel.readyKernel;
  }

  /** Whether the present kernel has, or had, more than a fresh one. */
  get #hasMemory(): boolean {
    const { executionCount, silentCount } = this.#deps.contextKernel;
    return executionCount > 0 || silentCount > 0 || this.#hasState;
  }

  /** Takes over the archive if it succeeds. */
  async recover(loading: Loading, { isSupported }: { isSupported: boolean }): Promise<RecoveredContext> {
    for (let earlier = this.#earlier(); earlier; earlier = this.#earlier()) await earlier;
    this.#isRecovering = true;
    try {
      // The first step of the new state announces it, so it waits until all of this is done.
      return await this.#deps.queue.pauseFor(this.#load(loading, { isSupported }));
    } finally {
      this.#isRecovering = false;
    }
  }

  /** Gives a kernel that follows a lost one the state that was kept. If that fails, nothing is kept of it. */
  async revive(kernel: Kernel): Promise<RecoveryReport> {
    const { archive, steps, isComplete } = this.#kept;
    this.#hasState = true;
    try {
      if (!isComplete) throw new Error('too much code ran since the last snapshot');
      return await recoverWith(kernel, { tmp: this.#deps.tmp, archive, steps, timeoutMs: reviveMsMax });
    } catch (error) {
      await this.#kept.forget();
      throw error;
    }
  }

  /** The next kernel begins with nothing. */
  async forget(): Promise<void> {
    this.#hasState = false;
    await Promise.all([this.#kept.forget(), this.#fifo.remove()]);
  }

  /**
   * The snapshot that is under way, to wait for: a client does not know that its context is being saved. Null if there is none.
   * @throws Problem `context-busy` while a step runs or waits, or during a recovery
   */
  #earlier(): Promise<unknown> | null {
    if (this.#deps.queue.busy || this.#isRecovering) throw busy();
    return this.#saving;
  }

  async #load(
    { archive, steps, timeoutMs, lostReason }: Loading,
    { isSupported }: { isSupported: boolean },
  ): Promise<RecoveredContext> {
    const { contextKernel, keeps, tmp } = this.#deps;
    // Made before the earlier kernel ends: the temporary directory may have no room for it, and then nothing has changed.
    const made = isSupported ? await makeRecoveryFolder(tmp, { archive: archive?.path ?? null, steps }) : null;
    // The kernel that follows a lost one would first get the state of that one.
    if (this.#hasMemory || contextKernel.untoldLoss === null) await contextKernel.restart();
    const loaded = made
      ? await this.#loadFrom(made, { archive, timeoutMs }).finally(made.remove)
      : await this.#replay({ steps, timeoutMs });
    const report = lostReason === undefined ? loaded : withAllLost(loaded, lostReason);
    this.#hasState = true;
    contextKernel.recovered(report);
    if (keeps) await this.#kept.begin(archive, steps);
    else await archive?.remove();
    return { contextEpoch: contextKernel.contextEpoch, ...report };
  }

  async #freshKernel(): Promise<Kernel> {
    const { contextKernel } = this.#deps;
    return await contextKernel.ready().catch(async (cause) => {
      // The next kernel that starts has the earlier state again, as after any other failure.
      await contextKernel.restart({ keepsState: true });
      throw new Problem('sandbox-failed', { detail: `no kernel started: ${reasonOf(cause)}`.slice(0, 900), cause });
    });
  }

  /** A kernel that dies is followed by another one, because a value that ends its kernel is to lose only itself. */
  async #loadFrom(
    made: RecoveryFolder,
    { archive, timeoutMs }: Pick<Loading, 'archive' | 'timeoutMs'>,
  ): Promise<RecoveryReport> {
    const { contextKernel } = this.#deps;
    const startMs = performance.now();
    const leftMs = () => timeoutMs - (performance.now() - startMs);
    for (;;) {
      const kernel = await this.#freshKernel();
      try {
        return await withEarlierLoss(archive?.path ?? null, await recoverFrom(made, kernel, leftMs()));
      } catch (cause) {
        if (leftMs() > 0 && (await made.noteDeath())) await contextKernel.restart();
        else {
          // Its state is not known. If the context keeps its state, the next kernel has the earlier one again.
          await contextKernel.replace(kernel);
          throw notRecovered(await made.explain(cause));
        }
      }
    }
  }

  /** For a language without snapshots. */
  async #replay({ steps, timeoutMs }: Omit<Loading, 'archive'>): Promise<RecoveryReport> {
    if (!isReplayable(steps)) return nothingReplayed(steps);
    const kernel = await this.#freshKernel();
    try {
      const report = await replaySteps(kernel, { steps, timeoutMs });
      if (!('stoppedAt' in report)) return report;
      const stopped = { stepId: report.stoppedAt, reason: report.reason };
      await this.#deps.contextKernel.replace(kernel);
      return { ...nothingReplayed(steps), stopped };
    } catch (cause) {
      await this.#deps.contextKernel.replace(kernel);
      throw notRecovered(cause);
    }
  }
}

/** Code that never runs again, but may have changed what its names refer to. */
const onlyEffects = (stepId: string, code: string): PastStep => ({ stepId, code, status: 'lost', replay: false });

const withAllLost = (report: RecoveryReport, reason: string): RecoveryReport => ({
  ...report,
  lost: [{ name: '*', reason }],
});

function notRecovered(cause: unknown): Problem {
  const detail = `the state could not be recovered: ${reasonOf(cause)}`.slice(0, 900);
  return new Problem('sandbox-failed', { detail, cause });
}

function reasonOf(cause: unknown): string {
  if (cause instanceof KernelStartFailure) return cause.reason.message ?? cause.reason.code;
  return cause instanceof Error ? cause.message : String(cause);
}

export type Loading = {
  archive: ArchiveFile | null;
  steps: readonly PastStep[];
  timeoutMs: number;
  /** Why there is no more than this, if there was. */
  lostReason?: string | undefined;
};

type Recovering = { tmp: string; archive: string | null; steps: readonly PastStep[]; timeoutMs: number };

async function recoverWith(kernel: Kernel, { tmp, archive, steps, timeoutMs }: Recovering): Promise<RecoveryReport> {
  const made = await makeRecoveryFolder(tmp, { archive, steps });
  const report = await recoverFrom(made, kernel, timeoutMs).finally(made.remove);
  return await withEarlierLoss(archive, report);
}

/** With what was lost before the archive was taken, of which not every kernel reads. */
async function withEarlierLoss(archive: string | null, report: RecoveryReport): Promise<RecoveryReport> {
  const earlier = (archive && (await findManifest(archive))?.earlier) || [];
  const known = new Set([...report.restored, ...report.replayed, ...report.lost.map(({ name }) => name)]);
  const others = earlier.filter(({ name }) => !known.has(name));
  return { ...report, lost: [...report.lost, ...others].slice(0, reportedNamesMax) };
}

async function recoverFrom(made: RecoveryFolder, kernel: Kernel, timeoutMs: number): Promise<RecoveryReport> {
  const { folder, onCall } = made;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${Math.round(timeoutMs)} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([kernel.recover({ folder, timeoutMs: Math.ceil(timeoutMs), onCall }), late]);
  } finally {
    clearTimeout(timer);
  }
}

const ended = () =>
  new Problem('snapshot-refused', { detail: 'the kernel of the context has ended, and its state with it' });

const busy = () => new Problem('context-busy', { detail: 'the context runs a step, or is being recovered' });
