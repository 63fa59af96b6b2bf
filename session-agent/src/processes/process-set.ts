import { type AgentProcess, type AgentProcessState, listedProcessesMax } from '@holdfast/specs/agent';
import { type Cause, Problem } from '@holdfast/specs/public';
import { type ProcessDependencies, type RunningProcess, startProcess } from './running-process.ts';

const logBytesMin = 192 * 1024;
const logBytesMax = 4 * 1024 * 1024;
/** Processes that have ended and whose ends are not acknowledged. */
const unacknowledgedMax = 1000;
/** Processes whose ends are acknowledged and whose output is still there. Their output may take this part of the memory for running ones. */
const acknowledgedMax = 256;
const acknowledgedShare = 4;
/** Processes that have ended and left others behind, which still have their output open. */
const openOutputsMax = 64;

/** The whole inputs that wait until their processes have read them. */
const heldInputBytesMax = 32 * 1024 * 1024;

/** See `contexts/session-rules.ts`. */
type Rules = { readonly isConfining: boolean };

type Dependencies = ProcessDependencies & {
  /** `logBytesMax`: for the output of all processes together. */
  bounds: { processesMax: number; logBytesMax: number };
  /** The part of the session that its processes share with its kernels. */
  session: { readonly env: Record<string, string>; readonly rules: Rules; assertMayRun(): void };
};

/** `process` is null until it has started, and has its whole input of `inputBytes` from then on. */
type Known = { starting: Promise<RunningProcess>; process: RunningProcess | null; inputBytes: number };

/**
 * The processes that the agent knows: the ids of its whole life, so that none starts twice, and the log of each process until the data-plane
 * has acknowledged that it has recorded the end, and then for as long as there is room.
 */
export class ProcessSet {
  #deps: Dependencies;
  #usedIds = new Set<string>();
  /** The ids of processes that never started and never will. */
  #burntIds = new Set<string>();
  /** Those that run or are not acknowledged, oldest first. */
  #known = new Map<string, Known>();
  #acknowledged = new Map<string, RunningProcess>();
  #openOutputs = new Set<RunningProcess>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Starts a process. One that was refused or could not be started leaves its id free.
   * @throws Problem `step-repeated`, `results-unacknowledged`, `session-ended`, `session-paused`, `policy-denied`, `quota-exceeded`,
   * `invalid-request`, `command-not-started` or `unsupported-by-runtime`
   */
  async start({ acks = [], env, ...wanted }: Omit<AgentProcess, 'output' | 'paced'>): Promise<RunningProcess> {
    const { session } = this.#deps;
    const { processId } = wanted;
    this.acknowledge(acks);
    this.#admit(processId);
    const inputBytes = typeof wanted.stdin === 'string' ? Buffer.byteLength(wanted.stdin) : 0;
    if (inputBytes > 0) this.#admitInput(inputBytes);
    this.#usedIds.add(processId);
    const request = { ...wanted, env: { ...session.env, ...env } };
    const known: Known = {
      process: null,
      inputBytes,
      starting: startProcess(this.#deps, request, { bytesMax: this.#logBytesMax }),
    };
    this.#known.set(processId, known);
    try {
      const process = await known.starting;
      known.process = process;
      void process.ended.then(() => this.#watchOutput(process));
      return process;
    } catch (error) {
      this.#usedIds.delete(processId);
      this.#known.delete(processId);
      throw error;
    }
  }

  /** A process whose log is there. @throws Problem `not-found` if it was never started, or its log is gone */
  async find(processId: string): Promise<RunningProcess> {
    const process = await this.#look(processId);
    if (process) return process;
    const detail = this.#usedIds.has(processId)
      ? `the output of ${processId} is gone`
      : `${processId} was never started`;
    throw new Problem('not-found', { detail });
  }

  /** A process that is to get input, which may be a command. @throws Problem as `find` does, or `policy-denied` */
  async findForInput(processId: string): Promise<RunningProcess> {
    this.#assertCommands();
    return this.find(processId);
  }

  /** `burn` uses up an unknown id, so that its process never starts. @throws Problem as `find` does, but `step-repeated` if the log is gone */
  async attach(processId: string, { burn }: { burn: boolean }): Promise<RunningProcess> {
    const process = await this.#look(processId);
    if (process) return process;
    if (this.#usedIds.has(processId)) {
      throw new Problem('step-repeated', { detail: `the output of ${processId} is gone` });
    }
    if (burn) this.#burntIds.add(processId);
    throw new Problem('not-found', { detail: `${processId} was never started${burn ? ' and will not be' : ''}` });
  }

  /** Notes that the ends are recorded. Skips processes that run, and other ids. */
  acknowledge(processIds: readonly string[]): void {
    for (const processId of processIds) {
      const process = this.#known.get(processId)?.process;
      if (!process?.log.done) continue;
      this.#known.delete(processId);
      this.#acknowledged.set(processId, process);
    }
    this.#forgetOldest();
  }

  list(): AgentProcessState[] {
    const started = [...this.#known.values()].flatMap(({ process }) => process ?? []);
    return started.slice(0, listedProcessesMax).map(({ state }) => state);
  }

  /** Kills all processes and what they left behind; resolves when they have ended. */
  async end(cause: Cause): Promise<void> {
    const started = await Promise.all([...this.#known.values()].map(({ starting }) => starting.catch(() => null)));
    await Promise.all(started.map((process) => process?.kill(cause)));
    await this.#deps.starter.endAll();
  }

  async #look(processId: string): Promise<RunningProcess | null> {
    const starting = this.#known.get(processId)?.starting.catch(() => null);
    return this.#acknowledged.get(processId) ?? (await starting) ?? null;
  }

  #admit(processId: string): void {
    const { bounds, session } = this.#deps;
    if (this.#usedIds.has(processId) || this.#burntIds.has(processId)) {
      throw new Problem('step-repeated', { detail: `${processId} was used before` });
    }
    session.assertMayRun();
    this.#assertCommands();
    const running = [...this.#known.values()].filter(({ process }) => !process?.log.done).length;
    if (running >= bounds.processesMax) {
      throw new Problem('quota-exceeded', { detail: `${bounds.processesMax} processes run already` });
    }
    if (this.#known.size - running < unacknowledgedMax) return;
    const detail = `the ends of ${unacknowledgedMax} processes are not acknowledged`;
    throw new Problem('results-unacknowledged', { detail, retryAfterSeconds: 1 });
  }

  #admitInput(bytes: number): void {
    const held = [...this.#known.values()].map(({ process, inputBytes }) => process?.input.heldBytes ?? inputBytes);
    if (held.reduce((sum, more) => sum + more, bytes) <= heldInputBytesMax) return;
    const detail = `the inputs that processes have not read yet would be more than ${heldInputBytesMax} bytes`;
    throw new Problem('quota-exceeded', { detail });
  }

  #assertCommands(): void {
    if (!this.#deps.session.rules.isConfining) return;
    throw new Problem('policy-denied', { detail: "the session's policy forbids shell commands" });
  }

  /** The memory for the log of one process. */
  #logBytesMax = (): number => {
    const share = this.#deps.bounds.logBytesMax / this.#known.size;
    return Math.max(logBytesMin, Math.min(share, logBytesMax));
  };

  #forgetOldest(): void {
    const bytesMax = this.#deps.bounds.logBytesMax / acknowledgedShare;
    let bytes = [...this.#acknowledged.values()].reduce((sum, { log }) => sum + log.bytes, 0);
    for (const [processId, { log }] of this.#acknowledged) {
      if (this.#acknowledged.size <= acknowledgedMax && bytes <= bytesMax) return;
      this.#acknowledged.delete(processId);
      bytes -= log.bytes;
    }
  }

  /** The output of processes that were left behind is read for as long as they have it open, up to a number. */
  #watchOutput(process: RunningProcess): void {
    this.#openOutputs.add(process);
    void process.output.closed.then(() => this.#openOutputs.delete(process));
    const [oldest] = this.#openOutputs;
    if (this.#openOutputs.size > openOutputsMax) oldest?.output.close();
  }
}
