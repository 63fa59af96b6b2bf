import { constants } from 'node:fs';
import { access, chmod, realpath, rename, rm, stat } from 'node:fs/promises';

/** Writes a file under another name until it is whole, so that the old one stays if that fails. Devices and pipes are written to. The rights are those of the old file, unless `mode` says others. */
export async function replaceFile(
  path: string,
  write: (target: string) => Promise<void>,
  mode?: number,
): Promise<void> {
  const place = await realpath(path).catch(() => path);
  const old = await stat(place).catch(() => null);
  if (old) await access(place, constants.W_OK);
  if (old && !old.isFile()) return await write(place);
  const draft = `${place}.${process.pid}.part`;
  try {
    await write(draft);
    const rights = mode ?? old?.mode;
    if (rights !== undefined) await chmod(draft, rights);
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
