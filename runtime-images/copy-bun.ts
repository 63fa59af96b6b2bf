import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch;

/** Copies the bun that is installed beside the session-agent. It has the architecture of the building machine, and so has the image. */
export async function copyBun(into: string): Promise<void> {
  const { resolve } = createRequire(new URL('../session-agent/package.json', import.meta.url));
  await mkdir(into, { recursive: true });
  await copyFile(resolve(`@oven/bun-linux-${architecture}/bin/bun`), join(into, 'bun'));
}
