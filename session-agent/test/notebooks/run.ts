import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cache, type NotebookEnvironment } from './environment.ts';
import type { Answer } from './shown-outputs.ts';

/** Cells that run in one kernel, one after the other. */
export type Subject = {
  id: string;
  /** A folder whose files the cells may use. */
  folder: string | undefined;
  cells: string[];
};

/** One run of a subject's cells. */
export type Run = {
  cells: string[];
  cwd: string;
  /** The variables of the kernel's process. */
  variables: Record<string, string>;
  /** The lines for a cell that asks for input. The last one repeats. */
  typed: string[];
  /** A cell that takes longer ends the run. */
  secondsMax: number;
};

/** The answers to a subject's cells, and the folder that is in their paths. */
export type Answers = { folder: string; answers: Answer[] };

/**
 * Runs a subject in a copy of its folder and with a home of its own. The names of these folders have the same length, since the length of
 * a path decides where text wraps.
 */
export async function runSubject(
  { path }: NotebookEnvironment,
  { folder, cells }: Subject,
  answer: (run: Run) => Promise<Answer[]>,
): Promise<Answers> {
  const root = mkdtempSync('/tmp/holdfast-notebook-');
  const cwd = join(root, 'work');
  const home = join(root, 'home');
  mkdirSync(home);
  mkdirSync(cwd);
  if (folder) cpSync(folder, cwd, { recursive: true });
  const variables = {
    PATH: path,
    HOME: home,
    IPYTHONDIR: join(home, '.ipython'),
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    OMP_NUM_THREADS: '2',
    // matplotlib's list of fonts, which takes seconds to make.
    MPLCONFIGDIR: join(cache, 'matplotlib'),
    // Otherwise the order of a set would differ from run to run.
    PYTHONHASHSEED: '0',
  };
  try {
    const answers = await answer({ cells, cwd, variables, typed: ['7', 'q'], secondsMax: 120 });
    return { folder: root, answers };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}
