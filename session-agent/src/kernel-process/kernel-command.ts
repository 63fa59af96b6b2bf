import { fileURLToPath } from 'node:url';
import type { ContextLimits, Language } from '@holdfast/specs/public';
import { findProgram } from './find-program.ts';
import type { KernelConfig } from './kernel-config.ts';

const program = (path: string) => fileURLToPath(new URL(`../languages/${path}`, import.meta.url));
const programs = {
  python: program('python/main.py'),
  node: program('node/main.js'),
  bash: program('bash/start.sh'),
  ruby: program('ruby/main.rb'),
  launch: program('python/launch.py'),
};
/** Without `site` and the environment's paths, which the launcher needs not and which cost half of its time. */
export const barePython = ['-S', '-E', '-s', '-B'];
/**
 * The kernel's modules live in a realm of their own, which is experimental. With the check of async hooks on, stopping a timer's
 * callback would abort the whole process.
 */
const nodeFlags = [
  '--experimental-vm-modules',
  '--no-force-async-hooks-checks',
  '--disable-warning=ExperimentalWarning',
];

type Command = {
  file: string;
  args: string[];
  /** Whether interrupts go by fd 4, as the step's number, and not by SIGINT. */
  interruptsByLifeline: boolean;
  /**
   * Whether the number of an interrupted step goes by fd 3 beside the signal: an interpreter that runs its handlers late would not
   * know for which step a signal came.
   */
  wantsInterruptNumbers?: boolean;
  /** Whether messages are lines; see line-codec.ts. */
  speaksLines?: boolean;
};

/** What is to be executed for a language's kernel. Of `limits` only what the interpreter wants to be told; see limit-command.ts. */
export function kernelCommand(config: KernelConfig, language: Language, limits: ContextLimits = {}): Command {
  if (language === 'python') return { file: config.python, args: [programs.python], interruptsByLifeline: false };
  const [file, ...args] = interpreterCommand(config, language, limits);
  const rest = {
    interruptsByLifeline: language === 'node',
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
