import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The checkout of Holdfast that the folder is in, if it is in one. */
export async function findCheckout(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isCheckout(at)) return at;
    if (dirname(at) === at) return undefined;
  }
}

async function isCheckout(folder: string): Promise<boolean> {
  try {
    const { name, scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    await access(join(folder, 'data-plane/src/main.ts'));
    return name === 'holdfast' && typeof scripts?.start === 'string';
  } catch {
    return false;
  }
}
