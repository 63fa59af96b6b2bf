import { realpathSync } from 'node:fs';
import type { StepError } from '@holdfast/specs/public';

/** Code that was written for other interpreters expects its files here. Images link it to the workspace; other machines cannot. */
const usualFolder = '/mnt/data';
const mention = /\/mnt\/data(?![\w.-])/;

/**
 * Adds what to do to the traceback of an error of code that uses a folder which is not there. Many errors do not name the path, such as the
 * exit status of a command, so the step's code is searched too.
 */
export function addHint(
  error: StepError,
  { code, workspace, folder = usualFolder }: { code: string; workspace: string; folder?: string },
): StepError {
  if (!mention.test(error.message) && !mention.test(code)) return error;
  if (realPath(folder) === realPath(workspace)) return error;
  const hint = `Hint: ${usualFolder} does not lead to the workspace on this machine. Use relative paths, or ${workspace}`;
  return { ...error, traceback: [...error.traceback, hint] };
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
