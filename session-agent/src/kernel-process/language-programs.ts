import { fileURLToPath } from 'node:url';

const program = (path: string) => fileURLToPath(new URL(`../languages/${path}`, import.meta.url));

/** The programs in `../languages`. A bundle puts that folder beside the one of the agent, so this file stays one level deep. */
export const languagePrograms = {
  python: program('python/main.py'),
  node: program('node/main.js'),
  bash: program('bash/start.sh'),
  ruby: program('ruby/main.rb'),
  /** Speaks for the kernels that Jupyter knows. */
  jupyter: program('jupyter/main.js'),
  /** Starts a kernel of another language below a process that adopts its orphans. */
  launch: program('python/launch.py'),
  zygote: program('python/zygote.py'),
  /** A folder of commands for the programs in the sandbox. */
  commands: program('bin'),
  /** Folders with the module `holdfast` for programs in the sandbox. */
  modules: { python: program('programs/python'), node: program('programs/node'), ruby: program('programs/ruby') },
  /** Starts processes, which stay below it. */
  processes: program('python/processes.py'),
  /** Finds the modules of a job's program in the workspace. */
  jobModules: program('node/job-modules.js'),
  /** Runs a job's program below a process that adopts its orphans. */
  supervise: program('python/supervise.py'),
};
