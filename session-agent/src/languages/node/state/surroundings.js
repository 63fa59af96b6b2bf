import { mkdirSync, readFileSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import process from 'node:process';

const { chdir, cwd, umask } = process;

/** The surroundings of the names before the first step. */
export function currentSurroundings() {
  return { env: { ...process.env }, directory: folder(), mask: fileMask() };
}

/** The changes by steps: the working directory, the umask and environment variables. */
export function changesOf({ env, directory, mask }) {
  const now = { ...process.env };
  return {
    directory: changedFolder(directory),
    umask: fileMask() === mask ? null : fileMask(),
    set: Object.fromEntries(Object.entries(now).filter(([name, value]) => env[name] !== value)),
    unset: Object.keys(env).filter((name) => !(name in now)),
  };
}

/** Returns the reasons by the names of what cannot be restored. */
export function restoreSurroundings({ directory, umask: mask = null, set, unset }) {
  const lost = new Map();
  try {
    if (directory !== null) enter(directory);
  } catch (error) {
    lost.set('(working directory)', `${directory} cannot be entered: ${error.code}`);
  }
  if (mask !== null) umask(mask);
  Object.assign(process.env, set);
  for (const name of unset) delete process.env[name];
  return lost;
}

function enter(directory) {
  // An empty folder of the workspace is not among its saved files.
  if (!isAbsolute(directory)) mkdirSync(directory, { recursive: true });
  chdir(directory);
}

/** Read without setting it meanwhile, which other threads would notice; null if this machine does not show it. */
function fileMask() {
  try {
    const found = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'));
    return found === null ? null : Number.parseInt(found[1], 8);
  } catch {
    return null;
  }
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
