import type { ProposedChange, StepProposal } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import { listProposalChanges, listProposalsOfStep } from '../../registry/proposals/find-proposals.ts';

const changesShownMax = 1000;
/** The characters of the paths of the changes that are shown. */
const pathLengthMax = 256 * 1024;

type Proposed = { id: string; number: number; changes: readonly ProposedChange[] };

/** A proposal as its step shows it. Pure. */
export function stepProposal({ id, number, changes }: Proposed): StepProposal {
  let length = 0;
  const shown = changes.slice(0, changesShownMax).filter(({ path }) => {
    length += path.length;
    return length <= pathLengthMax;
  });
  return { id, number, changes: shown, changeCount: changes.length };
}

/** The proposals of a step that are recorded, as the step shows them. */
export async function findStepProposals(
  db: Database,
  step: { sessionId: string; stepId: string },
): Promise<StepProposal[]> {
  const found = await listProposalsOfStep(db, step);
  return await Promise.all(
    found.map(async ({ id, number }) => {
      const recorded = await listProposalChanges(db, { id });
      return stepProposal({ id, number, changes: recorded.map(({ status: _, ...change }) => change) });
    }),
  );
}
