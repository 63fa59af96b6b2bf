import type { Plan } from '../stage/plan.ts';
import type { Stage } from '../stage/stage.ts';

/** Measures one aspect of the product beside its peers, and records samples under its name. */
export type Scenario = { name: string; run(stage: Stage, plan: Plan): Promise<void> };
