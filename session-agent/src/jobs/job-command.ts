import { fileURLToPath } from 'node:url';
import type { AgentJob } from '@holdfast/specs/agent';
import { type JobLanguage, Problem } from '@holdfast/specs/public';
import { findProgram } from '../kernel-process/start/find-program.ts';
import { barePython } from '../kernel-process/start/kernel-command.ts';
import type { JobConfig } from './job-config.ts';

const supervisor = fileURLToPath(new URL('../languages/python/supervise.py', import.meta.url));
/** A file of the workspace says not by a package.json which kind of module it is, and Node would remark on that. */
const nodeFlags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];

/** A program with its arguments; one that is supervised speaks on fd 3, see supervise.py. */
export type JobCommand = { file: string; args: string[]; isSupervised: boolean };

/**
 * What is to be executed in the workspace for a job.
 * @throws Problem `unsupported-by-runtime` where the language is not installed
 */
export function jobCommand(config: JobConfig, { language, filename, args }: AgentJob): JobCommand {
  const [program, ...flags] = interpreters[language](config);
  const command = [program, ...flags, argumentFor(language, filename), ...args];
  // Without Python nobody adopts what leaves the tree; see sweep-tree.ts.
  if (!config.hasPython) return { file: program, args: command.slice(1), isSupervised: false };
  return { file: config.python, args: [...barePython, supervisor, ...command], isSupervised: true };
}

const interpreters: Record<JobLanguage, (config: JobConfig) => [string, ...string[]]> = {
  python({ hasPython, python }) {
    if (!hasPython) throw notInstalled('The interpreter python3 is not installed.');
    return [python];
  },
  node: ({ node }) => [node, ...nodeFlags],
  bun: ({ path }) => [installed(path, 'bun'), 'run'],
  bash: ({ path }) => [installed(path, 'bash')],
};

function installed(path: string, name: string): string {
  try {
    return findProgram(path, name);
  } catch (error) {
    throw notInstalled((error as Error).message);
  }
}

const notInstalled = (detail: string) => new Problem('unsupported-by-runtime', { detail });

/** A name never stands for an option, nor for a script or command of Node's or bun's own. */
function argumentFor(language: JobLanguage, filename: string): string {
  const isPlain = (language === 'python' || language === 'bash') && !filename.startsWith('-');
  return isPlain ? filename : `./${filename}`;
}
