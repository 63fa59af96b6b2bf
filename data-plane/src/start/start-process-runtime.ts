import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/parse-config.ts';
import { createProcessRuntime } from '../runtimes/process/create-process-runtime.ts';
import { findJupyterLanguages } from '../runtimes/process/find-jupyter-languages.ts';
import { bunFolder, findLanguages } from '../runtimes/process/find-languages.ts';
import { findPython } from '../runtimes/process/find-python.ts';
import { type Extras, provideExtras } from '../runtimes/process/python-extras/provide-extras.ts';
import { sandboxPath } from '../runtimes/process/sandbox-path.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { agentEnvironment } from './agent-environment.ts';
import type { RuntimeInput } from './start-runtime.ts';

/** Keeps npm and pip from the files of this machine's user, whose home the sandboxes share. */
const withoutRegistrySettings = { npm_config_userconfig: '/dev/null', PIP_CONFIG_FILE: '/dev/null' };

/** Starts the runtime whose sandboxes are processes of this machine, with its interpreters. @throws ConfigError */
export async function startProcessRuntime(
  input: RuntimeInput,
): Promise<{ runtime: Runtime; close: () => Promise<void> }> {
  const { config, database, signing, agentMain, home, jupyterPath, registries } = input;
  const node = process.execPath;
  const given = [sandboxPath({ path: input.path, node, agentMain }), bunFolder(agentMain) ?? []].flat().join(':');
  const python = await requirePython(input, given);
  const path = activePath(given, python);
  const [languages, jupyterLanguages, extras] = await Promise.all([
    findLanguages({ hasPython: python !== null, path, home }),
    findJupyterLanguages({ node, agentMain, python, home, jupyterPath }),
    python && config.agent.installsPythonExtras ? provide(input, { python, path }) : null,
  ]);
  const sandboxEnv = config.agent.usesRegistrySettings ? registries : withoutRegistrySettings;
  const runtime = createProcessRuntime({
    dataDir: config.dataDir,
    deployment: config.deployment,
    database,
    agentEnv: {
      PATH: path,
      HOME: home,
      ...(jupyterPath && { JUPYTER_PATH: jupyterPath }),
      TMPDIR: tmpdir(),
      // Agents run from TypeScript sources. With a cache, a second agent need not compile them again and answers in half the time.
      NODE_COMPILE_CACHE: join(config.dataDir, 'compile-cache'),
      ...agentEnvironment(config, signing),
      // Spares every agent the search for the interpreter.
      ...(python && { HOLDFAST_PYTHON: python }),
      ...(extras && { HOLDFAST_AGENT_PYTHON_EXTRAS: extras.folder }),
      HOLDFAST_AGENT_FILE_ROOTS: JSON.stringify(temporaryFolders()),
      ...(Object.keys(sandboxEnv).length > 0 && { HOLDFAST_SANDBOX_ENV: JSON.stringify(sandboxEnv) }),
    },
    node,
    agentMain,
    languages: [...languages, ...jupyterLanguages],
  });
  return { runtime, close: async () => await extras?.close() };
}

/** Not the home directory, in which this machine's user has more than temporary files. */
const temporaryFolders = () => [...new Set(['/tmp', tmpdir()])].filter((folder) => existsSync(folder));

/** Null if none is usable, which is a fault only if one was asked for. */
async function requirePython({ config, home, log, progress }: RuntimeInput, path: string): Promise<string | null> {
  const wanted = config.agent.python;
  const found = await findPython({ wanted, path, home });
  if (found.python !== null) return found.python;
  if (wanted !== null) throw new ConfigError([`HOLDFAST_PYTHON ${found.fault}`]);
  log.warn({ fault: found.fault }, 'Python sessions will not run: no usable Python was found');
  progress(`Python sessions will not run: ${found.fault} (set HOLDFAST_PYTHON to use another Python)`);
  return null;
}

/** The programs of a virtual environment come first, as if it were active, so that `pip` installs for the kernels' Python everywhere. */
function activePath(path: string, python: string | null): string {
  const folder = python && dirname(python);
  return folder && existsSync(join(folder, '../pyvenv.cfg')) ? `${folder}:${path}` : path;
}

function provide(
  { config, agentMain, home, registries, log, progress }: RuntimeInput,
  { python, path }: { python: string; path: string },
): Promise<Extras | null> {
  return provideExtras({
    python,
    requirements: join(dirname(agentMain), 'languages/python/extras-requirements.txt'),
    env: { ...registries, PATH: path, HOME: home, TMPDIR: tmpdir() },
    dataDir: config.dataDir,
    log,
    progress,
  });
}
