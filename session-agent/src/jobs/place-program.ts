import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobLanguage } from '@holdfast/specs/public';
import { languagePrograms } from '../kernel-process/language-programs.ts';

/** A program that lies outside the workspace, and finds its modules as if it lay there. */
export type PlacedProgram = {
  path: string;
  /** Arguments of the interpreter before the path. */
  flags: string[];
  env: Record<string, string>;
  /** Does not fail if the job has made its folder unremovable. */
  remove(): Promise<void>;
};

type Placing = {
  tmp: string;
  workspace: string;
  language: JobLanguage;
  filename: string;
  code: string;
  /** The environment of the job so far. */
  env: Record<string, string>;
};

/** Writes a job's code to a folder of its own. */
export function placeProgram({ tmp, workspace, language, filename, code, env }: Placing): PlacedProgram {
  const folder = mkdtempSync(join(tmp, 'holdfast-job-'));
  const path = join(folder, filename);
  // The job may have filled the folder, so this must not be done at once.
  const remove = () => rm(folder, { recursive: true, force: true }).catch(() => {});
  try {
    writeFileSync(path, code, { mode: 0o600 });
  } catch (error) {
    void remove();
    throw error;
  }
  return {
    path,
    flags: language === 'node' ? ['--import', modulesUrl(path, workspace)] : [],
    env: { ...env, ...moduleFolders(language, workspace, env) },
    remove,
  };
}

/** An interpreter that looks for modules beside the program also looks here. */
function moduleFolders(language: JobLanguage, workspace: string, env: Record<string, string>): Record<string, string> {
  if (language === 'python') return { PYTHONPATH: [workspace, env.PYTHONPATH].filter(Boolean).join(':') };
  if (language === 'bun')
    return { NODE_PATH: [join(workspace, 'node_modules'), env.NODE_PATH].filter(Boolean).join(':') };
  return {};
}

/** See languages/node/job-modules.js. */
function modulesUrl(program: string, workspace: string): string {
  const url = pathToFileURL(languagePrograms.jobModules);
  url.searchParams.set('program', program);
  url.searchParams.set('workspace', workspace);
  return url.href;
}
