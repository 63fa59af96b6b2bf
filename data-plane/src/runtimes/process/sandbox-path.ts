import { dirname, sep } from 'node:path';

type Given = {
  path: string;
  /** The program of this process. */
  node: string;
  /** A file of this checkout. */
  agentMain: string;
};

/**
 * The PATH of sandboxes: that of this machine, without the folders `node_modules/.bin` of this checkout and of those above it, which npm puts in
 * front of it for `npm start`. Code must not take our tools for its own, and `node` is a shell script there, which a signal ends before
 * the program. The folder of Node itself takes their place. Pure.
 */
export function sandboxPath({ path, node, agentMain }: Given): string {
  const isOurs = (folder: string) =>
    folder.endsWith(`${sep}node_modules${sep}.bin`) &&
    agentMain.startsWith(dirname(dirname(folder)).replace(/\/*$/, sep));
  const folders = path.split(':').map((folder) => (isOurs(folder) ? dirname(node) : folder));
  return [...new Set(folders)].join(':');
}
