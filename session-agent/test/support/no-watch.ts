import type { StepWatch } from '../../src/files/scan/workspace-watch.ts';

/** For what runs in no workspace. */
export const noWatch: StepWatch = { stepStarted: () => null, stepEnded: async () => [], stepDropped() {} };
