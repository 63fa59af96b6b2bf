import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch;

/** The search path, followed by the folder of the bun that npm has installed for the tests. */
export const pathWithBun = [
  process.env.PATH,
  dirname(createRequire(import.meta.url).resolve(`@oven/bun-linux-${architecture}/bin/bun`)),
].join(':');
