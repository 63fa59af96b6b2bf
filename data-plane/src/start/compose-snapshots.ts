import { createContextLanguages } from '../contexts/context-languages.ts';
import { exportContext } from '../export/export-context.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { createSnapshot } from '../snapshots/create-snapshot.ts';
import { deleteSnapshot } from '../snapshots/delete-snapshot.ts';
import { listSnapshots } from '../snapshots/list-snapshots.ts';
import { deleteNamedSnapshot } from '../snapshots/named/delete-named-snapshot.ts';
import { getNamedSnapshot } from '../snapshots/named/find-named-snapshot.ts';
import { listNamedSnapshots } from '../snapshots/named/list-named-snapshots.ts';
import { nameSnapshot } from '../snapshots/named/name-snapshot.ts';
import { restoreSnapshot } from '../snapshots/restore-snapshot.ts';
import { getNamedTransfer, getTransfer } from '../snapshots/transfer/get-transfer.ts';
import { putTransfer } from '../snapshots/transfer/put-transfer.ts';
import type { Core } from './compose-core.ts';
import type { Reconciling } from './compose-reconciling.ts';

/** The verbs of snapshots and exports. */
export function composeSnapshots(core: Core, { reconciler }: Reconciling) {
  const deps = { ...core, hint: reconciler.hint, contextLanguages: createContextLanguages(core) };
  return {
    exportContext: (input) => exportContext(core, input),
    createSnapshot: (input) => createSnapshot(deps, input),
    listSnapshots: (input) => listSnapshots(core, input),
    deleteSnapshot: (input) => deleteSnapshot(core, input),
    nameSnapshot: (input) => nameSnapshot(core, input),
    getNamedSnapshot: (input) => getNamedSnapshot(core, input),
    listNamedSnapshots: (input) => listNamedSnapshots(core, input),
    deleteNamedSnapshot: (input) => deleteNamedSnapshot(core, input),
    getTransfer: (input) => getTransfer(core, input),
    getNamedTransfer: (input) => getNamedTransfer(core, input),
    putTransfer: (input) => putTransfer(core, input),
    restoreSnapshot: (input) => restoreSnapshot(deps, input),
  } satisfies Partial<Verbs>;
}
