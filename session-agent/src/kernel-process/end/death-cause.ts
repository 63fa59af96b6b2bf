import type { Cause, ContextLimits } from '@holdfast/specs/public';

/** Why a kernel died. `fault` says how the kernel broke the protocol, if it was killed for that. Pure. */
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
    return { code: 'cpu_limit', signal: end.signal, message };
  }
  if (end.signal === 'SIGXFSZ' && end.limits?.fileMb) {
    const message = `the kernel wrote a file of more than ${end.limits.fileMb} MiB`;
    return { code: 'file_limit', signal: end.signal, message };
  }
  // V8 aborts when its heap is full, and code may abort by itself.
  if (end.signal === 'SIGABRT' && end.limits?.memoryMb) {
    const message = `the kernel was ended by SIGABRT, perhaps because it needed more than its limit of ${end.limits.memoryMb} MiB of memory`;
    return { code: 'kernel_killed', signal: end.signal, message };
  }
  if (end.signal)
    return { code: 'kernel_killed', signal: end.signal, message: `the kernel was ended by ${end.signal}` };
  const { exitCode } = end;
  // Only its parent could report the end, and that was gone or silent.
  if (exitCode === null) return { code: 'kernel_exited', message: 'the kernel has ended; how it ended is not known' };
  return { code: 'kernel_exited', exitCode, message: `the kernel exited with code ${exitCode}` };
}
