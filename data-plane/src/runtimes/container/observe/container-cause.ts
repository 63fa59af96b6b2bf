import type { SandboxCause } from '../../runtime.ts';
import type { ContainerEnd } from '../engine/engine-container.ts';

/** Everything that was observed of a container's end. */
export type ObservedExit = {
  /** Null if the container is gone and its end was not observed. */
  end: ContainerEnd | null;
  /** An operator or another program told the engine to end it. */
  killed: boolean;
  /** When it was removed; null while it exists. */
  removedAt: Date | null;
};

const removalMs = 3000;
const killSignal = 9;
const endingSignals = [killSignal, 15];

/** Why a container has ended or is gone. The message contains the engine's own words and nothing that code in it wrote. Pure. */
export function containerCause({ end, killed, removedAt }: ObservedExit): SandboxCause {
  if (!end) return { reason: 'deleted_by_operator', message: 'the container was removed from outside' };
  const signal = end.exitCode > 128 ? end.exitCode - 128 : 0;
  // `rm --force` kills the container first, and not every engine sends an event for that.
  const removed = removedAt !== null && removedAt.getTime() - end.finishedAt.getTime() < removalMs;
  if (killed || (removed && endingSignals.includes(signal) && !end.oomKilled)) {
    return { reason: 'deleted_by_operator', message: `the container was ended from outside: ${exitText(end, signal)}` };
  }
  // Engines also report it if the kernel killed another process; then the agent ended in some other way.
  if (end.oomKilled && signal === killSignal) {
    return { reason: 'oom_killed', message: `OOMKilled: the container's memory was used up: ${exitText(end, signal)}` };
  }
  return { reason: 'sandbox_exited', message: `the agent's container ended: ${exitText(end, signal)}` };
}

function exitText({ exitCode, error }: ContainerEnd, signal: number): string {
  const text = `exit code ${exitCode}${signal ? ` (signal ${signal})` : ''}`;
  return (error ? `${text}: ${error}` : text).slice(0, 1000);
}
