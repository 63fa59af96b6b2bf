import type { ContextLimits, Language } from '@holdfast/specs/public';

/**
 * V8 reserves half a gigabyte of address space for code in each thread, hardly uses it, and aborts if it cannot have it. So Node's
 * memory is limited by the size of its heap; see kernel-command.ts.
 */
const limitsHeap: readonly Language[] = ['node'];
/** POSIX counts the size of files in blocks of 512 bytes. */
const blocksPerMb = 2048;
/** Code that survives SIGXCPU is killed after this much more CPU time. */
const cpuGraceSeconds = 2;

/** The letter for the number of processes differs between shells. The soft limit comes first, as it may not exceed the hard one. */
const program = `
[ -z "$1" ] || ulimit -d "$1" || exit 126
[ -z "$2" ] || { ulimit -S -t "$2" && ulimit -H -t "$3"; } || exit 126
[ -z "$4" ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" || exit 126
[ -z "$5" ] || ulimit -f "$5" || exit 126
shift 5
exec "$@"`;

/** Wraps a command in a shell that first sets the limits of its own process (setrlimit(2)). */
export function limitCommand<Command extends { file: string; args: string[] }>(
  command: Command,
  { language, limits = {} }: { language: Language; limits?: ContextLimits | undefined },
): Command {
  const { memoryMb, cpuSeconds, processesMax, fileMb } = limits;
  if (Object.values(limits).every((limit) => limit === undefined)) return command;
  const values = [
    limitsHeap.includes(language) ? undefined : memoryMb && memoryMb * 1024,
    cpuSeconds,
    cpuSeconds && cpuSeconds + cpuGraceSeconds,
    processesMax,
    fileMb && fileMb * blocksPerMb,
  ].map((value) => String(value ?? ''));
  return { ...command, file: '/bin/sh', args: ['-c', program, 'sh', ...values, command.file, ...command.args] };
}
