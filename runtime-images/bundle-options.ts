import type { BuildOptions } from 'esbuild';

/** Bundles a module for Node 24 with everything it imports. The same sources give the same bytes. */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  charset: 'utf8',
  logLevel: 'warning',
} satisfies BuildOptions;
