import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { Problem } from '@holdfast/specs/public';
import { isExecutable } from '../../kernel-process/start/find-program.ts';
import type { NotStartedError, Program } from './process-starter.ts';

/**
 * Finds the program of a command as a shell would. A text becomes the text of a shell that is not a login shell: `/etc/profile` would replace the
 * session's PATH.
 * @throws Problem `command-not-started` that names the program
 */
export function findCommand(
  command: string | string[],
  { cwd, path }: { cwd: string; path: string },
): Pick<Program, 'file' | 'command'> {
  if (typeof command === 'string') {
    const file = search('bash', path) ?? '/bin/sh';
    return { file, command: [file.endsWith('bash') ? 'bash' : 'sh', '-c', command] };
  }
  const [name = ''] = command;
  if (!name.includes('/')) {
    const file = search(name, path);
    if (file === null) throw notStarted(`the program ${shown(name)} was not found in PATH`);
    return { file, command };
  }
  const file = resolve(cwd, name);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) throw notStarted(`${shown(name)} does not exist`);
  if (!isProgram(file)) throw notStarted(`${shown(name)} is not an executable file`);
  return { file, command };
}

/** The problem of a program that was found but could not be executed. */
export function describeNotStarted(
  error: NotStartedError,
  { command: [name = ''] }: Pick<Program, 'command'>,
): Problem {
  const reasons: Record<string, string> = {
    E2BIG: 'the command with its variables is longer than the system allows',
    ENOEXEC: `${shown(name)} is not a program that the system can execute`,
    ENOENT: `the interpreter of ${shown(name)} does not exist`,
    EACCES: `the system does not permit ${shown(name)} to be executed there`,
    EAGAIN: 'the sandbox runs too many processes',
    ENOMEM: 'the sandbox has too little memory',
  };
  return notStarted(reasons[error.code] ?? `the system answered ${error.code}`, error);
}

function search(name: string, path: string): string | null {
  for (const folder of path.split(':').filter(isAbsolute)) {
    const file = join(folder, name);
    if (isProgram(file)) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    return isExecutable(file) && statSync(file).isFile();
  } catch {
    return false;
  }
}

const shownCharactersMax = 200;
const shown = (name: string) => JSON.stringify(name.slice(0, shownCharactersMax));
const notStarted = (detail: string, cause?: unknown) => new Problem('command-not-started', { detail, cause });
