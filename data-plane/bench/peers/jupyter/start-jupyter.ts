import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.ts';

export type JupyterServer = { url: string; token: string; pid: number; close(): Promise<void> };

/** Jupyter drops output above a rate. It is measured without that, since a step here is given whole. */
const options = ['--no-browser', '--allow-root', '--ServerApp.ip=127.0.0.1', '--ServerApp.port=0'];
const unlimited = '--ZMQChannelsWebsocketConnection.limit_rate=False';

/** Starts the Jupyter Server of a virtual environment, with its token required, and waits until it serves. */
export async function startJupyter({
  venv,
  directory,
  nodelay,
}: {
  venv: string;
  /** For its runtime files, configuration and working directory. It is removed with the server. */
  directory: string;
  /** Whether WebSockets have TCP_NODELAY, which Jupyter leaves off. */
  nodelay: boolean;
}): Promise<JupyterServer> {
  await mkdir(directory, { recursive: true });
  const token = randomBytes(24).toString('hex');
  const config = nodelay ? [`--config=${join(import.meta.dirname, 'set-nodelay.py')}`] : [];
  const child = spawn(join(venv, 'bin/python'), ['-m', 'jupyter_server', ...options, unlimited, ...config], {
    cwd: directory,
    env: {
      PATH: `${join(venv, 'bin')}:${process.env.PATH}`,
      LANG: 'C.UTF-8',
      ...homes(directory),
      JUPYTER_TOKEN: token,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-4000);
  });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const served = join(directory, `jpserver-${child.pid}.json`);
  try {
    const url = await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Jupyter Server ended: ${log}`);
      if (!existsSync(served)) throw new Error(`Jupyter Server does not serve: ${log}`);
      const { url } = JSON.parse(await readFile(served, 'utf8'));
      // It writes the file before it listens.
      await fetch(new URL('api', url));
      return url;
    }, 60_000);
    return { url, token, pid: child.pid as number, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Keeps it from this user's own configuration and history. */
const homes = (directory: string) => ({
  HOME: directory,
  JUPYTER_RUNTIME_DIR: directory,
  JUPYTER_CONFIG_DIR: directory,
  JUPYTER_DATA_DIR: directory,
  IPYTHONDIR: directory,
});
