import { dirname, join } from 'node:path';

/** The Python whose installation may have kernelspecs, the user's home, and the folders of JUPYTER_PATH. */
export type KernelspecSettings = { python: string; home: string; jupyterPath?: readonly string[] };

/**
 * The folders with kernelspecs, the most important first: those that the environment names, the user's, those of the Python installation
 * or virtual environment, the system's. The order is Jupyter's. Pure.
 */
export function kernelspecFolders({ python, home, jupyterPath = [] }: KernelspecSettings): string[] {
  const data = [
    ...jupyterPath,
    join(home, '.local/share/jupyter'),
    join(dirname(dirname(python)), 'share/jupyter'),
    '/usr/local/share/jupyter',
    '/usr/share/jupyter',
  ];
  return [...new Set(data)].map((folder) => join(folder, 'kernels'));
}
