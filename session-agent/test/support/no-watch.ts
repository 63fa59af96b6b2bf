import type { StepWatch } from '../../src/files/scan/workspace-watch.ts';

/** A watch for steps without a workspace. */
export const noWatch: StepWatch = {
  isBusy: false,
  stepStarted: () => null,
  stepEnded: async () => ({ changes: [], directories: [] }),
  stepDropped() {},
};
