import type { Scenario } from '../scenario.ts';
import { measureAgentLaunch } from './agent-launch.ts';
import { measurePandasContext } from './pandas-context.ts';
import { measureWarmClaims } from './warm-claims.ts';

/** The time until a session, an agent and a context are there. */
export const create: Scenario = {
  name: 'create',
  async run(stage, plan) {
    await measureAgentLaunch(stage, plan);
    await measurePandasContext(stage, plan);
    await measureWarmClaims(stage, plan);
  },
};
