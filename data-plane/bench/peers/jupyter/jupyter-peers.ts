import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Stage } from '../../stage/stage.ts';
import type { Peer } from '../peer.ts';
import { type JupyterKernel, startJupyterKernel } from './jupyter-kernel.ts';
import { startJupyter } from './start-jupyter.ts';

/** A kernel behind a Jupyter Server of its own. `pid` is the server's. */
export type JupyterPeer = Peer & { pid: number } & Pick<JupyterKernel, 'stream' | 'interrupt'>;

const venv = join(import.meta.dirname, '../../../../.holdfast/bench/jupyter');
const installCommand =
  'python3 -m venv .holdfast/bench/jupyter && .holdfast/bench/jupyter/bin/pip install -r data-plane/bench/peers/jupyter/requirements.txt';

const peers = [
  { name: 'Jupyter', nodelay: false },
  { name: 'Jupyter, TCP_NODELAY', nodelay: true },
];

/** Starts Jupyter Server as it comes and with TCP_NODELAY, each with one kernel; null, and a note, if it is not installed. */
export async function startJupyterPeers(
  stage: Pick<Stage, 'note' | 'defer' | 'dataDir'>,
): Promise<JupyterPeer[] | null> {
  const start = jupyterStarter(stage);
  if (!start) return null;
  return await Promise.all(
    peers.map(async ({ name, nodelay }) => {
      const { server, kernel, close } = await start({ nodelay });
      stage.defer(close);
      const canRun: Peer['canRun'] = ({ language }) => language === 'python';
      const { run, stream, interrupt } = kernel;
      return { name, pid: server.pid, canRun, run: ({ code }) => run(code), stream, interrupt };
    }),
  );
}

/** Starts a Jupyter Server with one kernel; null, and a note, if it is not installed. */
export function jupyterStarter({ note, dataDir }: Pick<Stage, 'note' | 'dataDir'>) {
  if (!isInstalled()) {
    note(`Jupyter Server is not measured, because it is not installed. To install it: ${installCommand}`);
    return null;
  }
  return async ({ nodelay }: { nodelay: boolean }) => {
    const server = await startJupyter({ venv, directory: await mkdtemp(join(dataDir, 'jupyter-')), nodelay });
    const kernel = await startJupyterKernel(server).catch(async (error) => {
      await server.close();
      throw error;
    });
    return { server, kernel, close: () => kernel.close().finally(server.close) };
  };
}

/** The versions for the header of a run; none if it is not installed. */
export async function jupyterVersions(): Promise<Record<string, string>> {
  if (!isInstalled()) return {};
  const program = 'import importlib.metadata as m; print(m.version("jupyter_server"), m.version("ipykernel"))';
  const { stdout } = await promisify(execFile)(join(venv, 'bin/python'), ['-c', program]);
  const [server = '', kernel = ''] = stdout.trim().split(' ');
  return { 'Jupyter Server': server, ipykernel: kernel };
}

/** The last thing that pip writes is the programs. */
const isInstalled = () => existsSync(join(venv, 'bin/jupyter-server'));
