import type { AgentProcess, AgentProcessState } from '@holdfast/specs/agent';
import { type Cause, Problem, type SignalProcess, type TerminalSize } from '@holdfast/specs/public';
import type { StepWatch } from '../files/scan/workspace-watch.ts';
import { countOomKills } from '../kernel-process/end/memory-events.ts';
import type { ProcessTree } from '../kernel-process/kernel-process.ts';
import { SharedTimer } from '../steps/shared-timer.ts';
import { appendChanges } from '../steps/step-capture.ts';
import { StepStop } from '../steps/step-stop.ts';
import { ProcessInput } from './input/process-input.ts';
import { Pacing } from './log/pacing.ts';
import { ProcessLog } from './log/process-log.ts';
import { processOutcome } from './process-outcome.ts';
import { ProcessOutput } from './process-output.ts';
import type { ProcessStarter } from './start/process-starter.ts';
import { type ProcessConfig, type StartedProcess, startProgram } from './start/start-program.ts';

export type ProcessDependencies = {
  config: ProcessConfig;
  starter: ProcessStarter;
  sweep(tree: ProcessTree): Promise<void>;
  watch: StepWatch;
  limits: { stopGraceMs: number };
};

export type ProcessRequest = Omit<AgentProcess, 'env' | 'acks' | 'output' | 'paced'> & { env: Record<string, string> };

/**
 * Starts a process. `bytesMax` is the memory that its log may have.
 * @throws Problem as `startProgram` does
 */
export async function startProcess(
  deps: ProcessDependencies,
  request: ProcessRequest,
  { bytesMax }: { bytesMax: () => number },
): Promise<RunningProcess> {
  const { processId, collectChanges, env } = request;
  if (collectChanges) await deps.watch.stepStarted(processId);
  try {
    const oomKillsBefore = countOomKills(deps.config.memoryEvents ?? []);
    const program = await startProgram(deps, request, env);
    return new RunningProcess(deps, { request, program, bytesMax, oomKillsBefore });
  } catch (error) {
    deps.watch.stepDropped(processId);
    throw error;
  }
}

type Start = { request: ProcessRequest; program: StartedProcess; bytesMax: () => number; oomKillsBefore: number };

/** A process that was started, and its log after its end. */
export class RunningProcess {
  readonly id: string;
  readonly log: ProcessLog;
  readonly pacing: Pacing;
  readonly input: ProcessInput;
  /** Resolves when the last frame is in the log. */
  readonly ended: Promise<void>;
  readonly output: ProcessOutput;
  #deps: ProcessDependencies;
  #program: StartedProcess;
  #stop: StepStop;
  #isSignalled = false;

  constructor(deps: ProcessDependencies, start: Start) {
    const { request, program, bytesMax } = start;
    this.id = request.processId;
    this.#deps = deps;
    this.#program = program;
    this.log = new ProcessLog({ bytesMax });
    this.pacing = new Pacing(this.log, { bytesMax });
    this.input = new ProcessInput(program.input, { isTerminal: program.terminal !== null });
    this.#stop = new StepStop(
      { interrupt: () => program.signal('SIGTERM'), kill: () => deps.sweep(program.tree) },
      { timeoutMs: request.timeoutMs, graceMs: deps.limits.stopGraceMs, timer: new SharedTimer() },
    );
    this.log.append('started', { pid: program.pid, cwd: program.cwd });
    this.output = new ProcessOutput(this, program.readers);
    if (typeof request.stdin === 'string') void this.input.giveWhole(Buffer.from(request.stdin));
    this.ended = this.#follow(start);
  }

  get state(): AgentProcessState {
    const { bytes, ended } = this.input.accepted;
    return {
      processId: this.id,
      state: this.log.done ? 'ended' : 'running',
      pid: this.#program.pid,
      position: this.log.position,
      kept: this.log.kept,
      stdoutBytes: this.log.streams.stdout,
      stderrBytes: this.log.streams.stderr,
      stdinBytes: bytes,
      stdinEnded: ended,
      done: this.log.done,
    };
  }

  /** SIGKILL goes to all processes below it, any other signal to its group. @throws Problem `process-ended` */
  sendSignal(name: SignalProcess['signal']): void {
    this.#assertRunning();
    this.#isSignalled = true;
    if (name === 'SIGKILL') void this.#deps.sweep(this.#program.tree);
    else this.#program.signal(name);
  }

  /** @throws Problem `process-ended` or `no-terminal` */
  resize(size: TerminalSize): void {
    this.#assertRunning();
    const { terminal } = this.#program;
    if (!terminal) throw new Problem('no-terminal', { detail: `${this.id} was started without a terminal` });
    if (this.input.accepted.ended) throw new Problem('no-terminal', { detail: `${this.id} has closed its terminal` });
    terminal.resize(size);
  }

  /** Kills it with all processes below it. */
  async kill(cause: Cause): Promise<void> {
    if (this.log.done) return;
    this.#stop.killed(cause);
    await this.#deps.sweep(this.#program.tree);
    this.pacing.end();
    await this.ended;
  }

  #assertRunning(): void {
    if (this.log.done) throw new Problem('process-ended', { detail: `${this.id} has ended` });
  }

  async #follow({ program, oomKillsBefore, request: { collectChanges, limits } }: Start): Promise<void> {
    const startedAt = performance.now();
    const end = await program.ended;
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    this.#stop.clear();
    // A reader that takes its time does not put off the end of a process that was stopped.
    if (this.#stop.cause || this.#isSignalled) this.pacing.end();
    const oomKilled = countOomKills(this.#deps.config.memoryEvents ?? []) > oomKillsBefore;
    const isWhole = await this.output.drain();
    this.input.close();
    if (isWhole || program.terminal) this.output.close();
    else this.output.mute();
    if (collectChanges) appendChanges(this.log, await this.#deps.watch.stepEnded(this.id));
    const { stdout, stderr } = this.log.streams;
    const measured = { durationMs, stdoutBytes: stdout, stderrBytes: stderr, outputIncomplete: !isWhole };
    this.log.finish(processOutcome({ end, stopped: this.#stop.cause, oomKilled, limits }, measured));
  }
}
