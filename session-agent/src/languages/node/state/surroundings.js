import { relative, sep } from 'node:path';
import process from 'node:process';

const { chdir, cwd } = process;

/** The surroundings of the names before the first step. */
export function currentSurroundings() {
  return { env: { ...process.env }, directory: folder() };
}

/** The changes by steps: the working directory and environment variables. */
export function changesOf({ env, directory }) {
  const now = { ...process.env };
  return {
    directory: changedFolder(directory),
    set: Object.fromEntries(Object.entries(now).filter(([name, value]) => env[name] !== value)),
    unset: Object.keys(env).filter((name) => !(name in now)),
  };
}

export function restoreSurroundings({ directory, set, unset }) {
  try {
    if (directory !== null) chdir(directory);
  } catch {
    // The folder was not part of the world.
  }
  Object.assign(process.env, set);
  for (const name of unset) delete process.env[name];
}

/** Null if it is the first one. A folder in that one is relative to it: another sandbox can have the workspace in another place. */
function changedFolder(first) {
  const now = folder();
  if (now === null || now === first) return null;
  return first !== null && now.startsWith(`${first}${sep}`) ? relative(first, now) : now;
}

function folder() {
  try {
    return cwd();
  } catch {
    return null;
  }
}
