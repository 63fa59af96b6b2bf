import type { Cause } from '@holdfast/specs';

/** Why a kernel has died. `fault` says how it broke the protocol, for which it was killed. */
export function deathCause(end: {
  exitCode: number | null;
  signal: string | null;
  fault: string | undefined;
  oomKilled: boolean;
}): Cause {
  if (end.fault) return { code: 'kernel_killed', signal: end.signal ?? 'SIGKILL', message: end.fault };
  if (end.signal === 'SIGKILL' && end.oomKilled) {
    return { code: 'oom_killed', signal: end.signal, message: 'the kernel ran out of memory' };
  }
  if (end.signal)
    return { code: 'kernel_killed', signal: end.signal, message: `the kernel was ended by ${end.signal}` };
  const exitCode = end.exitCode ?? 0;
  return { code: 'kernel_exited', exitCode, message: `the kernel exited with code ${exitCode}` };
}
