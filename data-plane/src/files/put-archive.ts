import { agentUnpackedSchema, changeSchema } from '@holdfast/specs/agent';
import { type ArchiveFormat, isOutside, type UnpackedArchive, workspacePath } from '@holdfast/specs/public';
import type { AgentError } from '../agent/agent-error.ts';
import { distinctChanges } from '../artifacts/listed-changes.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { withParents } from '../registry/world-files/directories-of.ts';
import { markIfLinked } from '../registry/world-files/mark-if-linked.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { recordChange } from '../world/record-change.ts';
import { refuseProposed, refuseUnlessAllVisible } from '../world/refuse-host-change.ts';
import { type StoreFilesDependencies, storeChangedFiles, storedFiles } from '../world/store-changed-files.ts';
import { bodyTooLarge, boundedBody } from './bounded-body.ts';
import { type UploadDependencies, uploadInOrder } from './upload-in-order.ts';
import { uploadOutside } from './upload-outside.ts';

export type PutArchiveDependencies = ExplainDependencies &
  UploadDependencies &
  StoreFilesDependencies & {
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    limits: { uploadBytesMax: number };
  };

type PutArchiveInput = {
  caller: Caller;
  sessionId: string;
  /** The directory that the archive is unpacked into. */
  path: string;
  format: ArchiveFormat;
  body: AsyncIterable<Uint8Array>;
  /** The announced length of the body in bytes. */
  size?: number | undefined;
};

const normalPaths = (paths: readonly string[]) => paths.filter((path) => workspacePath(path) === path);

const list = { key: 'changes', item: changeSchema, itemsMax: 100_000 };
const unpackedAnswer = { schema: agentUnpackedSchema, list, answerBytesMax: 32 * 2 ** 20 };

/**
 * Unpacks an archive into the working copy and stores its files in the world. The answer lists the files that could not be stored. Outside
 * the workspace none of them is meant to be.
 *
 * @throws Problem 403, 404, 409, 410, 413, 422, 502, 503, 507
 */
export async function putArchive(
  deps: PutArchiveDependencies,
  { caller, sessionId, path, format, body, size = 0 }: PutArchiveInput,
): Promise<UnpackedArchive> {
  const { uploadBytesMax, keptSessionBytesMax } = deps.limits;
  if (size > uploadBytesMax) throw bodyTooLarge(uploadBytesMax);
  const call = {
    method: 'PUT' as const,
    path: `/v1/archive?path=${encodeURIComponent(path)}&format=${format}`,
    ...unpackedAnswer,
  };
  if (isOutside(path)) {
    const audited = { operation: 'file.unpack', path };
    const { files, bytes } = await uploadOutside(deps, { caller, sessionId, body, size, audited, call });
    return { files, bytes, omissions: {} };
  }
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const upload = {
    route,
    body: boundedBody(body, uploadBytesMax),
    ...call,
    signal: new AbortController().signal,
    // The files are moved to their places one by one, but only after the whole archive was checked.
    leavesAll: ({ slug }: AgentError) => slug === 'archive-refused' || slug === 'body-too-large',
    async beforeEnd(claim: WorldClaim) {
      refuseUnlessAllVisible(claim);
      await refuseProposed(deps.db, claim, [path]);
    },
  };
  // The files of an archive are limited only together.
  const limits = { ...deps.limits, keptFileBytesMax: uploadBytesMax, keptStepBytesMax: keptSessionBytesMax };
  try {
    return await uploadInOrder(deps, upload, async ({ changes, directories, files, bytes }, claim) => {
      const distinct = distinctChanges(changes);
      const stored = await storeChangedFiles(
        { ...deps, limits },
        { route, claim, changes: distinct, filesMax: distinct.length, isPatient: false },
      );
      const isUnsettled = claim.isUnsettled || directories === null || stored.some(({ isFailed }) => isFailed);
      const entry = entryOf(caller, sessionId, { operation: 'world.unpack', path, files, bytes });
      const made = [...withParents([path]), ...normalPaths(directories ?? [])];
      const paths = withParents([...made, ...distinct.map((change) => change.path)]);
      await recordChange(deps.db, entry, async (tx) => {
        const marked = await markIfLinked(tx, { claim: { ...claim, isUnsettled }, paths });
        return await recordChanges(tx, {
          claim: marked,
          artifacts: [],
          put: storedFiles(stored),
          remove: [],
          directories: { put: made, remove: [] },
        });
      });
      const omissions = stored.flatMap(({ change, omission }) => (omission ? [[change.path, omission] as const] : []));
      return { files, bytes, omissions: Object.fromEntries(omissions) };
    });
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
}
