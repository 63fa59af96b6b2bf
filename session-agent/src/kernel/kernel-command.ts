import { fileURLToPath } from 'node:url';
import type { Language } from '@holdfast/specs';
import type { KernelConfig } from './kernel-config.ts';

const programs = {
  python: fileURLToPath(new URL('../kernels/python/main.py', import.meta.url)),
  node: fileURLToPath(new URL('../kernels/node/main.js', import.meta.url)),
  launch: fileURLToPath(new URL('../kernels/python/launch.py', import.meta.url)),
};
/** Without `site` and the environment's paths, which the launcher needs not and which cost half of its time. */
const bare = ['-S', '-E', '-s', '-B'];

type Command = {
  file: string;
  args: string[];
  /** Whether interrupts go by fd 4, as the step's number, and not by SIGINT. */
  interruptsByLifeline: boolean;
};

/** What is to be executed for a language's kernel. */
export function kernelCommand(config: KernelConfig, language: Language): Command {
  if (language === 'python') return { file: config.python, args: [programs.python], interruptsByLifeline: false };
  // With this check on, stopping a timer's callback would abort the whole process.
  const args = ['--no-force-async-hooks-checks', '--disable-warning=ExperimentalWarning', programs.node];
  if (!config.hasPython) return { file: config.node, args, interruptsByLifeline: true };
  return { file: config.python, args: [...bare, programs.launch, config.node, ...args], interruptsByLifeline: true };
}
