import type { Cause, ContextLimits } from '@holdfast/specs/public';

/** Why a kernel has died. `fault` says how it broke the protocol, for which it was killed. */
export function deathCause(end: {
  exitCode: number | null;
  signal: string | null;
  fault: string | undefined;
  oomKilled: boolean;
  limits?: ContextLimits | undefined;
}): Cause {
  if (end.fault) return { code: 'kernel_killed', signal: end.signal ?? 'SIGKILL', message: end.fault };
  if (end.signal === 'SIGKILL' && end.oomKilled) {
    return { code: 'oom_killed', signal: end.signal, message: 'the kernel ran out of memory' };
  }
  if (end.signal === 'SIGXCPU' && end.limits?.cpuSeconds) {
    const message = `the kernel used up its limit of ${end.limits.cpuSeconds} seconds of CPU time`;
    return { code: 'kernel_killed', signal: end.signal, message };
  }
  if (end.signal)
    return { code: 'kernel_killed', signal: end.signal, message: `the kernel was ended by ${end.signal}` };
  const { exitCode } = end;
  // Its parent, who alone could tell, was gone or silent.
  if (exitCode === null) return { code: 'kernel_exited', message: 'the kernel has ended, and how is not known' };
  return { code: 'kernel_exited', exitCode, message: `the kernel exited with code ${exitCode}` };
}
