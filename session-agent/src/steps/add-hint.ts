import { realpathSync } from 'node:fs';
import type { StepError } from '@holdfast/specs/public';

/**
 * Code that was written for other interpreters, or that uses the paths of the API, expects its files here. In images both lead to the
 * workspace; on other machines they cannot.
 */
const mention = /(?<![\w./-])(\/mnt\/data|\/workspace)(?![\w.-])/;

/**
 * Adds what to do to the traceback of an error of code that uses a folder which is not there. Many errors do not name the path, such as the
 * exit status of a command, so the step's code is searched too.
 */
export function addHint(
  error: StepError,
  { code, workspace, folder }: { code: string; workspace: string; folder?: string },
): StepError {
  const mentioned = (mention.exec(error.message) ?? mention.exec(code))?.[1];
  if (!mentioned || realPath(folder ?? mentioned) === realPath(workspace)) return error;
  const hint = `Hint: ${mentioned} does not lead to the workspace on this machine. Use relative paths, or ${workspace}`;
  return { ...error, traceback: [...error.traceback, hint] };
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
