import type { Plan } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Scenario } from '../scenario.ts';
import { measureBandwidth } from './bandwidth.ts';
import { measureCancel } from './cancel.ts';
import { measureFirstByte } from './first-byte.ts';
import { measureLineLag } from './line-lag.ts';
import { measureSlowReader } from './slow-reader.ts';
import { startStreamingPeers } from './streaming-peers.ts';

/** Output of a step that is still running: how soon it arrives, how fast, and the memory that it takes. */
export const streaming: Scenario = {
  name: 'streaming',
  async run(stage: Stage, plan: Plan): Promise<void> {
    const { peers, holdfast, session } = await startStreamingPeers(stage);
    await measureFirstByte(stage, plan, peers);
    await measureLineLag(stage, plan, peers);
    await measureCancel(stage, plan, peers);
    await measureBandwidth(stage, plan, { peers, holdfast, session });
    await measureSlowReader(stage, plan, { holdfast, session });
  },
};
