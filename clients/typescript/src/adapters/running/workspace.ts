import type { CallOptions } from '../../http/create-api.ts';
import type { Session } from '../../sessions/session.ts';

/** The directory in which commands start, and the names that the API has for paths of commands. */
export type Workspace = {
  /** Absolute, as commands see it. */
  root: string;
  /** The absolute path that a command means by `path`. */
  absolute(path: string): string;
  /** The path of the API, relative for a file of the workspace and absolute for any other. */
  inApi(path: string): string;
};

/** Asks the sandbox for its workspace, since a server without containers has it at a place of its own. */
export async function findWorkspace(session: Session, options: CallOptions = {}): Promise<Workspace> {
  const { cwd } = await session.processes.run(['true'], options);
  if (cwd === null) throw new Error('the sandbox did not tell its workspace');
  return workspaceAt(cwd);
}

export function workspaceAt(root: string): Workspace {
  const absolute = (path: string) => normalized(path.startsWith('/') ? path : `${root}/${path}`);
  return {
    root,
    absolute,
    inApi(path) {
      const whole = absolute(path);
      if (whole === root) return '';
      return whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : whole;
    },
  };
}

/** Resolves `.` and `..`, which URLs of the API cannot hold, without regard to links. */
function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
