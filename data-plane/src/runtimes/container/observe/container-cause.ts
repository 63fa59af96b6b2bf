import type { SandboxCause } from '../../runtime.ts';
import type { ContainerEnd } from '../engine/engine-container.ts';

export type EndSeen = {
  /** Null where the container is gone and nobody saw it end. */
  end: ContainerEnd | null;
  /** The engine was told to end it, by somebody else than us. */
  killed: boolean;
  /** When it was removed; null while it is there. */
  removedAt: Date | null;
};

const removalMs = 3000;
const killSignal = 9;
const endingSignals = [killSignal, 15];

/** Why a container has ended or is gone. The message has the engine's own words, never those of the code in it. Pure. */
export function containerCause({ end, killed, removedAt }: EndSeen): SandboxCause {
  if (!end) return { reason: 'deleted_by_operator', message: 'the container was removed from outside' };
  const signal = end.exitCode > 128 ? end.exitCode - 128 : 0;
  // `rm --force` kills first, and not every engine says so.
  const removed = removedAt !== null && removedAt.getTime() - end.finishedAt.getTime() < removalMs;
  if (killed || (removed && endingSignals.includes(signal) && !end.oomKilled)) {
    return { reason: 'deleted_by_operator', message: `the container was ended from outside: ${exitText(end, signal)}` };
  }
  // Engines say so also where another process was meant; then the agent ended some other way.
  if (end.oomKilled && signal === killSignal) {
    return { reason: 'oom_killed', message: `OOMKilled: the container's memory was used up: ${exitText(end, signal)}` };
  }
  return { reason: 'sandbox_exited', message: `the agent's container ended: ${exitText(end, signal)}` };
}

function exitText({ exitCode, error }: ContainerEnd, signal: number): string {
  const text = `exit code ${exitCode}${signal ? ` (signal ${signal})` : ''}`;
  return (error ? `${text}: ${error}` : text).slice(0, 1000);
}
