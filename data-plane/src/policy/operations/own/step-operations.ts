import { runStepSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { type OwnOperation, ownOperation } from './own-operation.ts';
import { runSubStep, type SubStepDependencies, type SubStepResult } from './run-sub-step.ts';

const { code, contextId, language, timeoutSeconds, env } = runStepSchema.shape;
const subStep = z
  .strictObject({ code, contextId, language, timeoutSeconds, env })
  .refine((step) => !(step.contextId && step.language), {
    message: 'must not be given together with contextId',
    path: ['language'],
  });
const repeated = z.intersection(subStep, z.object({ iterationsMax: z.number().int().min(2).max(100).default(10) }));

/** Steps that the code of a step runs. */
export function stepOperations(deps: SubStepDependencies): Record<string, OwnOperation> {
  return {
    eval: ownOperation(z.tuple([subStep]), (caller, request) => runSubStep(deps, caller, { ...request, index: 0 })),

    /** Runs the code until its value is that of the time before. */
    fixpoint: ownOperation(z.tuple([repeated]), async (caller, { iterationsMax, ...request }) => {
      let before: string | null = null;
      for (let index = 0; ; index++) {
        const last = await runSubStep(deps, caller, { ...request, index });
        const value = shownBy(last);
        const settled = last.status === 'succeeded' && value === before;
        const iterations = index + 1;
        if (settled || last.status !== 'succeeded' || iterations === iterationsMax) {
          return { settled, iterations, last };
        }
        before = value;
      }
    }),
  };
}

/** The step's value: that of its last expression, or what it printed. */
const shownBy = ({ results, stdout }: SubStepResult): string =>
  JSON.stringify(results.find(({ isMain }) => isMain)?.data ?? stdout);
