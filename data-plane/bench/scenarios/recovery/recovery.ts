import type { Plan } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Scenario } from '../scenario.ts';
import { measureIdleSnapshots } from './idle-snapshots.ts';
import { measureLossToAnswer } from './loss-to-answer.ts';
import { measurePause } from './pause.ts';
import { measureSaveAndRestore } from './save-and-restore.ts';

/** The cost of saving the state of sessions, and the time until it is there again. */
export const recovery: Scenario = { name: 'recovery', run };

async function run(stage: Stage, plan: Plan): Promise<void> {
  // It has a Holdfast of its own, which must be gone before the scenario's starts.
  await measureSaveAndRestore(stage, plan);
  await measureIdleSnapshots(stage, plan);
  await measureLossToAnswer(stage, plan);
  await measurePause(stage, plan);
}
