import { getArtifact } from '../artifacts/get-artifact.ts';
import { listArtifacts } from '../artifacts/list-artifacts.ts';
import { openArtifact } from '../artifacts/open-artifact.ts';
import { deleteFile } from '../files/delete-file.ts';
import { createFileLink, openFileLink } from '../files/file-links.ts';
import { listFiles } from '../files/list-files.ts';
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
  return {
    listFiles: (input) => listFiles(deps, input),
    readFile: (input) => readFile(deps, input),
    statFile: (input) => statFile(deps, input),
    watchFiles: (input) => watchFiles(deps, input),
    putFile: (input) => putFile(deps, input),
    deleteFile: (input) => deleteFile(deps, input),
    moveFile: (input) => moveFile(deps, input),
    makeDirectory: (input) => makeDirectory(deps, input),
    createFileLink: (input) => createFileLink(core, input),
    openFileLink: (input) => openFileLink(core, input),
    readArchive: (input) => readArchive(deps, input),
    putArchive: (input) => putArchive(deps, input),
    listArtifacts: (input) => listArtifacts(core, input),
    getArtifact: (input) => getArtifact(core, input),
    openArtifact: (input) => openArtifact(core, input),
    listProposals: (input) => listProposals(core, input),
    getProposal: (input) => getProposal(core, input),
    commitProposal: (input) => commitProposal(deps, input),
    rejectProposal: (input) => rejectProposal(deps, input),
  } satisfies Partial<Verbs>;
}
