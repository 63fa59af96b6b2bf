import { fileURLToPath } from 'node:url';
import type { Language } from '@holdfast/specs';
import type { KernelConfig } from './kernel-config.ts';

const programs = {
  python: fileURLToPath(new URL('../kernels/python/main.py', import.meta.url)),
  node: fileURLToPath(new URL('../kernels/node/main.js', import.meta.url)),
};

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
  return { file: config.node, args, interruptsByLifeline: true };
}
