import type { ContextLimits, Language } from '@holdfast/specs/public';

/**
 * V8 reserves half a gigabyte for code in every thread that it never fills, and aborts where it cannot: Node's memory is limited by
 * its heap instead, see kernel-command.ts.
 */
const limitsHeap: readonly Language[] = ['node'];
/** Code that survives SIGXCPU is killed after so much more CPU time. */
const cpuGraceSeconds = 2;

/** The number of processes has another letter in each shell. The soft limit first: it never goes above the hard one. */
const program = `
[ -z "$1" ] || ulimit -d "$1" || exit 126
[ -z "$2" ] || { ulimit -S -t "$2" && ulimit -H -t "$3"; } || exit 126
[ -z "$4" ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" || exit 126
shift 4
exec "$@"`;

/** The command as one that first sets the limits of its own process (setrlimit(2)), by the shell that every system has. */
export function limitCommand<Command extends { file: string; args: string[] }>(
  command: Command,
  { language, limits = {} }: { language: Language; limits?: ContextLimits | undefined },
): Command {
  const { memoryMb, cpuSeconds, processesMax } = limits;
  if (memoryMb === undefined && cpuSeconds === undefined && processesMax === undefined) return command;
  const values = [
    limitsHeap.includes(language) ? undefined : memoryMb && memoryMb * 1024,
    cpuSeconds,
    cpuSeconds && cpuSeconds + cpuGraceSeconds,
    processesMax,
  ].map((value) => String(value ?? ''));
  return { ...command, file: '/bin/sh', args: ['-c', program, 'sh', ...values, command.file, ...command.args] };
}
