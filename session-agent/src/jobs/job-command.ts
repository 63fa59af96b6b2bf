import type { AgentJob } from '@holdfast/specs/agent';
import { type JobLanguage, Problem } from '@holdfast/specs/public';
import type { KernelConfig } from '../kernel-process/kernel-config.ts';
import { languagePrograms } from '../kernel-process/language-programs.ts';
import { limitsText } from '../kernel-process/limits/limits-text.ts';
import { findProgram } from '../kernel-process/start/find-program.ts';
import { barePython, confinedFlag } from '../kernel-process/start/kernel-command.ts';
import type { PlacedProgram } from './place-program.ts';

/** Without a package.json, Node would warn that it has to guess the type of each module. */
const nodeFlags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];

/** The settings that all jobs of an agent share. */
export type JobConfig = Pick<
  KernelConfig,
  | 'sweep'
  | 'python'
  | 'hasPython'
  | 'node'
  | 'path'
  | 'home'
  | 'env'
  | 'tmp'
  | 'agentTmp'
  | 'sandboxUid'
  | 'memoryEvents'
> & { workspace: string };

/** A program with its arguments. A supervised program is started by supervise.py, which reports on fd 3. */
export type JobCommand = { file: string; args: string[]; isSupervised: boolean };

/** `isRecorded`: its supervisor records the paths that it may have changed, on fd 4. */
type JobManner = { isConfined?: boolean; isRecorded?: boolean; placed?: PlacedProgram | null };

/**
 * The command that runs a job in the workspace.
 * @throws Problem `unsupported-by-runtime` if the language is not installed
 */
export function jobCommand(
  config: JobConfig,
  { language, filename, args, limits }: Pick<AgentJob, 'language' | 'filename' | 'args' | 'limits'>,
  { isConfined = false, isRecorded = false, placed = null }: JobManner = {},
): JobCommand {
  const [program, ...flags] = interpreters[language](config);
  const path = placed ? [...placed.flags, placed.path] : [argumentFor(language, filename)];
  const command = [program, ...flags, ...path, ...args];
  const own = [
    ...(isRecorded ? [recordFlag] : []),
    ...(limits ? [limitsFlag, limitsText(limits)] : []),
    ...(isConfined ? [confinedFlag] : []),
  ];
  // A supervisor, which adopts processes that leave the tree (see sweep-tree.ts) and measures them, needs Python.
  if (!config.hasPython && limits) throw notInstalled('Limits of a job need the interpreter python3.');
  if (!config.hasPython) return { file: program, args: command.slice(1), isSupervised: false };
  return {
    file: config.python,
    args: [...barePython, languagePrograms.supervise, ...own, ...command],
    isSupervised: true,
  };
}

/** Tells supervise.py to record changed paths. */
const recordFlag = '--record';
/** Tells supervise.py that limits follow. */
const limitsFlag = '--limits';

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

/** Makes sure that a file name is never taken for an option, nor for a subcommand of Node or bun. */
function argumentFor(language: JobLanguage, filename: string): string {
  const isPlain = (language === 'python' || language === 'bash') && !filename.startsWith('-');
  return isPlain ? filename : `./${filename}`;
}
