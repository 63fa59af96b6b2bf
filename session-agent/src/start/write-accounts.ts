import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { logError } from '../log.ts';

/**
 * Gives the user id of this sandbox the name that its profile has, for programs that ask the system and not the environment. The image's name
 * service reads the two files through a link, as its root is read-only and no image can know the id. Only the code of this sandbox can change
 * them, so a name proves nothing.
 */
export function writeAccounts({ user, kernels: { home } }: Pick<Config, 'user' | 'kernels'>): void {
  if (!user) return;
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const files = {
    passwd: `${user.name}:x:${uid}:${gid}:${user.name}:${home}:/bin/bash\n`,
    group: `${user.name}:x:${gid}:\n`,
  };
  try {
    mkdirSync(user.accounts, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(user.accounts, name), text);
  } catch (error) {
    logError('the name of the user cannot be written', error);
  }
}
