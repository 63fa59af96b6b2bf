import { join } from 'node:path';

/** The folder into which `install-jupyter-kernels` puts kernels for the tests. */
export const jupyterPath = [join(import.meta.dirname, '../../node_modules/.cache/jupyter/share/jupyter')];
