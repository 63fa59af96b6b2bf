import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyRequest, ProposalWithChanges, RunStep, Step } from '@holdfast/specs/public';
import type { Database } from '../../src/registry/connect.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { filesClient, sha256, workspaceOf } from '../support/files-client.ts';
import type { Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

type Places = { installation: Installation; holdfast: Holdfast; db: Database };

export type GovernedSession = Awaited<ReturnType<typeof governedSession>>;

export const proposing: PolicyRequest = { world: { proposalMode: true } };

/** A session under a policy, with what its host and a look at the disk see of it. */
export async function governedSession({ installation, holdfast, db }: Places, body: object) {
  const { id } = await holdfast.createSession(body);
  return governed({ installation, holdfast, db }, id);
}

/** The same for a session that there is. */
export function governed({ installation, holdfast, db }: Places, id: string) {
  const files = filesClient(holdfast, id);
  const ask = (method: string, rest: string, sent?: object) =>
    holdfast.request(method, `/v1/sessions/${id}/proposals${rest}`, sent);
  return {
    id,
    files,
    run: (code: string, more: Partial<RunStep> = {}): Promise<Step> => holdfast.runStep(id, { code, ...more }),
    /** The digests of the world's files, with `+x` for an executable one. */
    async world(): Promise<Record<string, string>> {
      const found = await listWorldFiles(db, { sessionId: id });
      return Object.fromEntries(found.map((file) => [file.path, shown(file.sha256, file.executable)]));
    },
    /** Everything in the working copy: files as in the world, directories as `/`, links by their target. */
    workingCopy: (epoch = 1): Record<string, string> => treeOf(workspaceOf(installation.dataDir, id, epoch)),
    propose: ask,
    open: async (): Promise<string[]> =>
      (await ask('GET', '?status=open')).body.items.map((item: { id: string }) => item.id),
    read: async (proposalId: string): Promise<ProposalWithChanges> => (await ask('GET', `/${proposalId}`)).body,
    commit: (proposalId: string, body: object = {}) => ask('POST', `/${proposalId}/commit`, body),
    reject: (proposalId: string, body: object = {}) => ask('POST', `/${proposalId}/reject`, body),
  };
}

/** A file as `world` and `workingCopy` show it. */
export const shown = (digest: string, executable = false) => `${digest.slice(0, 12)}${executable ? ' +x' : ''}`;
export const text = (content: string, executable = false) => shown(sha256(content), executable);

export function treeOf(root: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(join(root, below))) {
    const path = below ? `${below}/${name}` : name;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) Object.assign(tree, { [path]: '/' }, treeOf(root, path));
    else if (stats.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(root, path))}`;
    else if (!stats.isFile()) tree[path] = 'special';
    else tree[path] = shown(sha256(readFileSync(join(root, path))), (stats.mode & 0o100) !== 0);
  }
  return tree;
}
