import { type BuiltInLanguage, type ContextLimits, isBuiltIn, type Language } from '@holdfast/specs/public';
import type { KernelConfig } from '../kernel-config.ts';
import type { KernelProcess } from '../kernel-process.ts';
import { languagePrograms as programs } from '../language-programs.ts';
import { findProgram } from './find-program.ts';
import { jupyterCommand } from './jupyter-command.ts';
import { limitCommand } from './limit-command.ts';

/** Tells launch.py and supervise.py that the program that they execute may execute no other one. */
export const confinedFlag = '--confined';
/** Flags for programs that need only the standard library: reading `site` and the environment's paths takes half of their start. */
export const barePython = ['-S', '-E', '-s', '-B'];
/**
 * The kernel's modules live in their own realm, which is an experimental feature of Node, as is to resolve what they import. If async hooks were checked, stopping a
 * timer's callback would abort the whole process.
 */
const nodeFlags = [
  '--experimental-vm-modules',
  '--experimental-import-meta-resolve',
  '--no-force-async-hooks-checks',
  '--disable-warning=ExperimentalWarning',
];

type Command = { file: string; args: string[] } & Pick<
  KernelProcess,
  'interruptsByLifeline' | 'wantsInterruptNumbers' | 'speaksLines'
> & {
    /** Deletes what the command needs on disk. Call it after the kernel has ended. */
    remove?: () => void;
  };

/**
 * The command that starts a language's kernel within its limits, and how the kernel is spoken to.
 * @throws Error with a message for the user if the language is not installed
 */
export function kernelCommand(
  config: KernelConfig,
  language: Language,
  { limits = {}, isConfined = false }: { limits?: ContextLimits | undefined; isConfined?: boolean | undefined } = {},
): Command {
  if (!isBuiltIn(language)) {
    const { command, remove } = jupyterCommand(config, language, limits);
    return { ...adopting(config, command), interruptsByLifeline: true, remove };
  }
  const spoken = {
    interruptsByLifeline: language === 'node',
    // These interpreters run signal handlers late, and would not know for which step a signal came.
    wantsInterruptNumbers: language === 'bash' || language === 'ruby',
    speaksLines: language === 'bash',
  };
  const own = interpreterCommand(config, language, limits);
  // A Python that starts reads the user's packages, which can have code that runs before the kernel's.
  const isAlone = language === 'python' && !isConfined;
  const command = isAlone ? { file: own[0], args: own.slice(1) } : adopting(config, own, { isConfined });
  return { ...limitCommand(command, { language, limits }), ...spoken };
}

/** Starts the command below a process that adopts its orphans, if Python is there to do so. */
function adopting(
  config: KernelConfig,
  [file, ...args]: [string, ...string[]],
  { isConfined = false } = {},
): { file: string; args: string[] } {
  if (!config.hasPython) return { file, args };
  const flags = isConfined ? [confinedFlag] : [];
  return { file: config.python, args: [...barePython, programs.launch, ...flags, file, ...args] };
}

function interpreterCommand(
  config: KernelConfig,
  language: BuiltInLanguage,
  limits: ContextLimits,
): [string, ...string[]] {
  if (language === 'python')
    return [config.python, programs.python, ...(config.pythonExtras ? [config.pythonExtras] : [])];
  if (language === 'bash') return ['/bin/sh', programs.bash, findProgram(config.path, 'bash')];
  if (language === 'ruby') return [findProgram(config.path, 'ruby'), programs.ruby];
  const heap = limits.memoryMb ? [`--max-old-space-size=${limits.memoryMb}`] : [];
  return [config.node, ...heap, ...nodeFlags, programs.node];
}
