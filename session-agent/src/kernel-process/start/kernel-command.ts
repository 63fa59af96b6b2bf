import type { ContextLimits, Language } from '@holdfast/specs/public';
import type { KernelConfig } from '../kernel-config.ts';
import type { KernelProcess } from '../kernel-process.ts';
import { languagePrograms as programs } from '../language-programs.ts';
import { findProgram } from './find-program.ts';

/** Flags for programs that need only the standard library: reading `site` and the environment's paths takes half of their start. */
export const barePython = ['-S', '-E', '-s', '-B'];
/**
 * The kernel's modules live in their own realm, which is an experimental feature of Node. If async hooks were checked, stopping a
 * timer's callback would abort the whole process.
 */
const nodeFlags = [
  '--experimental-vm-modules',
  '--no-force-async-hooks-checks',
  '--disable-warning=ExperimentalWarning',
];

type Command = { file: string; args: string[] } & Pick<
  KernelProcess,
  'interruptsByLifeline' | 'wantsInterruptNumbers' | 'speaksLines'
>;

/**
 * The command that starts a language's kernel, and how the kernel is spoken to. From `limits` it takes only those that the interpreter
 * enforces itself; limit-command.ts adds the others.
 */
export function kernelCommand(config: KernelConfig, language: Language, limits: ContextLimits = {}): Command {
  if (language === 'python') return { file: config.python, args: [programs.python], interruptsByLifeline: false };
  const [file, ...args] = interpreterCommand(config, language, limits);
  const rest = {
    interruptsByLifeline: language === 'node',
    // These interpreters run signal handlers late, and would not know for which step a signal came.
    wantsInterruptNumbers: language !== 'node',
    speaksLines: language === 'bash',
  };
  if (!config.hasPython) return { file, args, ...rest };
  return { file: config.python, args: [...barePython, programs.launch, file, ...args], ...rest };
}

function interpreterCommand(
  config: KernelConfig,
  language: Exclude<Language, 'python'>,
  limits: ContextLimits,
): [string, ...string[]] {
  if (language === 'bash') return ['/bin/sh', programs.bash, findProgram(config.path, 'bash')];
  if (language === 'ruby') return [findProgram(config.path, 'ruby'), programs.ruby];
  const heap = limits.memoryMb ? [`--max-old-space-size=${limits.memoryMb}`] : [];
  return [config.node, ...heap, ...nodeFlags, programs.node];
}
