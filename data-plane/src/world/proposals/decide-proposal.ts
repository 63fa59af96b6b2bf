import { Problem, type Proposal } from '@holdfast/specs/public';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { listOpenChanges, listProposalChanges, type OpenChange } from '../../registry/proposals/find-proposals.ts';
import { releaseWorld } from '../../registry/world-files/release-world.ts';
import { type ExplainDependencies, explainFailedCall } from '../../sessions/agent-problem.ts';
import type { Caller } from '../../sessions/caller.ts';
import { existingSession } from '../../sessions/existing-session.ts';
import type { Route, Routes } from '../../sessions/sandbox-routes.ts';
import type { Worlds, WorldWrite } from '../create-worlds.ts';
import type { PutBackDependencies } from '../put-back.ts';
import { existingProposal } from './list-proposals.ts';
import { proposalView } from './proposal-view.ts';

export type DecideDependencies = ExplainDependencies &
  PutBackDependencies & {
    db: Database;
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    worlds: Pick<Worlds, 'write'>;
    log: Pick<Logger, 'warn'>;
  };

export type DecideInput = {
  caller: Caller;
  sessionId: string;
  proposalId: string;
  /** Only the changes of these paths; by default all that are open. */
  paths?: readonly string[] | undefined;
};

/** `selected` is not empty. */
export type Deciding = { route: Route | null; selected: OpenChange[]; write: WorldWrite };

/**
 * Runs `decide` for the open changes of a proposal that are selected, while the world is claimed. If all of them have been decided so
 * already, nothing is done, so that a request may be repeated.
 * @throws Problem 400 if the proposal does not change one of the paths; 404; 409 if they have been decided otherwise; 409, 410 or 503 unless the session is active or paused; the errors of `decide`
 */
export async function decideProposal(
  deps: DecideDependencies,
  { caller, sessionId, proposalId, paths }: DecideInput,
  { as }: { as: 'committed' | 'rejected' },
  decide: (deciding: Deciding) => Promise<void>,
): Promise<Proposal> {
  const { db } = deps;
  const key = { sessionId, tenant: caller.tenant };
  const session = await existingSession(db, { id: sessionId, tenant: caller.tenant });
  await existingProposal(db, { sessionId, proposalId });
  const route = session.status === 'paused' ? null : await deps.routes.resolve(key);
  try {
    await deps.worlds.write({ sessionId, route }, async (write) => {
      const selected = await select(db, { sessionId, proposalId, paths, as });
      if (selected.length > 0) await decide({ route, selected, write });
      else await releaseWorld(db, write.claim);
    });
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
  return proposalView(await existingProposal(db, { sessionId, proposalId }));
}

type Selecting = Omit<DecideInput, 'caller'> & { as: 'committed' | 'rejected' };

async function select(db: Database, { sessionId, proposalId, paths, as }: Selecting): Promise<OpenChange[]> {
  const wanted = paths && new Set(paths);
  const changes = (await listProposalChanges(db, { id: proposalId })).filter(({ path }) => wanted?.has(path) ?? true);
  const known = new Set(changes.map(({ path }) => path));
  const errors = (paths ?? []).flatMap((path, index) =>
    known.has(path)
      ? []
      : [{ pointer: `/paths/${index}`, detail: `${proposalId} does not change ${JSON.stringify(path)}` }],
  );
  if (errors.length > 0)
    throw new Problem('invalid-request', { detail: errors[0]?.detail, errors: errors.slice(0, 100) });
  const open = (await listOpenChanges(db, { sessionId })).filter((change) => change.proposalId === proposalId);
  const selected = open.filter(({ path }) => wanted?.has(path) ?? true);
  if (selected.length > 0 || changes.every(({ status }) => status === as)) return selected;
  const detail = `the changes of ${proposalId} have been decided: ${[...new Set(changes.map(({ status }) => status))].join(', ')}`;
  throw conflict(detail);
}

const conflict = (detail: string) => new Problem('proposal-conflict', { detail });
