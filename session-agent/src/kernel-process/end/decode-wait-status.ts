import type { ProcessEnd } from '../kernel-process.ts';
import { signalName } from './signal-name.ts';

/** Decodes a wait status (wait(2)): the signal is in the lowest seven bits, else the exit code is above the eighth bit. Pure. */
export function decodeWaitStatus(status: number): ProcessEnd {
  const signal = status & 0x7f;
  return signal === 0 ? { exitCode: status >>> 8, signal: null } : { exitCode: null, signal: signalName(signal) };
}
