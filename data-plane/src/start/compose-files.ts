import { getArtifact } from '../artifacts/get-artifact.ts';
import { listArtifacts } from '../artifacts/list-artifacts.ts';
import { openArtifact } from '../artifacts/open-artifact.ts';
import { deleteFile } from '../files/delete-file.ts';
import { createFileLink, openFileLink } from '../files/file-links.ts';
import { listFiles } from '../files/list-files.ts';
import { locateFile, locateNamedFile } from '../files/locate-file.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { moveFile } from '../files/move-file.ts';
import { putArchive } from '../files/put-archive.ts';
import { putFile } from '../files/put-file.ts';
import { readArchive } from '../files/read-archive.ts';
import { readFile } from '../files/read-file.ts';
import { statFile } from '../files/stat-file.ts';
import { watchFiles } from '../files/watch-files.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { commitProposal } from '../world/proposals/commit-proposal.ts';
import { getProposal, listProposals } from '../world/proposals/list-proposals.ts';
import { rejectProposal } from '../world/proposals/reject-changes.ts';
import type { Core } from './compose-core.ts';
import type { Reconciling } from './compose-reconciling.ts';

/** The verbs of files, artifacts and proposals. */
export function composeFiles(core: Core, { reconciler }: Reconciling) {
  const deps = { ...core, hint: reconciler.hint };
  const { profiles } = core.runtime.capabilities;
  const workspacePaths = new Map(profiles.flatMap(({ name, workspacePath: path }) => (path ? [[name, path]] : [])));
  const locating = { db: core.db, workspacePaths };
  const located = async <Input extends Parameters<typeof locateFile>[1]>(input: Input): Promise<Input> => ({
    ...input,
    path: await locateFile(locating, input),
  });
  const named = async <Input extends Parameters<typeof locateFile>[1]>(input: Input): Promise<Input> => ({
    ...input,
    path: await locateNamedFile(locating, input),
  });
  return {
    listFiles: async (input) => listFiles(deps, await located(input)),
    readFile: async (input) => readFile(deps, await named(input)),
    statFile: async (input) => statFile(deps, await located(input)),
    watchFiles: async (input) => watchFiles(deps, await located(input)),
    putFile: async (input) => putFile(deps, await named(input)),
    deleteFile: async (input) => deleteFile(deps, await named(input)),
    moveFile: async ({ move, ...input }) => {
      const at = (path: string) => locateFile(locating, { ...input, path });
      return await moveFile(deps, { ...input, move: { ...move, from: await at(move.from), to: await at(move.to) } });
    },
    makeDirectory: async (input) => makeDirectory(deps, await located(input)),
    createFileLink: async ({ request, ...input }) => {
      const path = await locateNamedFile(locating, { ...input, path: request.path, pointer: '/path' });
      return await createFileLink(core, { ...input, request: { ...request, path } });
    },
    openFileLink: (input) => openFileLink(core, input),
    readArchive: async (input) => readArchive(deps, await located(input)),
    putArchive: async (input) => putArchive(deps, await located(input)),
    listArtifacts: (input) => listArtifacts(core, input),
    getArtifact: (input) => getArtifact(core, input),
    openArtifact: (input) => openArtifact(core, input),
    listProposals: (input) => listProposals(core, input),
    getProposal: (input) => getProposal(core, input),
    commitProposal: (input) => commitProposal(deps, input),
    rejectProposal: (input) => rejectProposal(deps, input),
  } satisfies Partial<Verbs>;
}
