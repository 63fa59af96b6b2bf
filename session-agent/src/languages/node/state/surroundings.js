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
    directory: folder() === directory ? null : folder(),
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

function folder() {
  try {
    return cwd();
  } catch {
    return null;
  }
}
