import type { Plan } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Scenario } from '../scenario.ts';
import { measureFocused } from './focused.ts';
import { startLatencyPeers } from './latency-peers.ts';
import { measureMixed } from './mixed.ts';
import { measureOpenLoop } from './open-loop.ts';

/** The time of a step: one case at a time, cases in a random mix, and steps that arrive at random times. */
export const latency: Scenario = {
  name: 'latency',
  async run(stage: Stage, plan: Plan): Promise<void> {
    const peers = await startLatencyPeers(stage);
    await measureFocused(stage, plan, peers);
    await measureMixed(stage, plan, peers);
    await measureOpenLoop(stage, plan);
  },
};
