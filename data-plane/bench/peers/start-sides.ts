import { childrenOf, type StepProcesses } from '../measure/cpu-times.ts';
import { pythonCases } from '../scenarios/latency/cases.ts';
import type { Stage } from '../stage/stage.ts';
import type { ProductSession } from '../stage/start-product.ts';
import { untilAtRest } from '../stage/until-at-rest.ts';
import { checkCase, type Peer } from './peer.ts';
import { product, productPeer } from './product.ts';

/** The step of all measurements in which only the number of steps counts. */
export const [expression] = pythonCases as [(typeof pythonCases)[number]];

/** The product or the yardstick: its sessions, each with an agent of its own, and the processes that run their steps. */
export type Side = { name: string; sessions: Peer[]; processes: StepProcesses };

/** Starts both with this many sessions, checks each session, runs its first steps, and waits until all agents are at rest. */
export async function startSides(
  stage: Stage,
  { count, warmUp }: { count: number; warmUp: number },
): Promise<[Side, Side]> {
  const holdfast = await stage.holdfast();
  const yardstick = await stage.yardstick(count);
  const { postmaster } = await stage.database();
  const opened: ProductSession[] = [];
  for (let i = 0; i < count; i++) {
    opened.push(await holdfast.openSession());
  }
  stage.defer(() => Promise.all(opened.map(({ close }) => close())));
  const agents = childrenOf(holdfast.pid);
  const sides: [Side, Side] = [
    { name: product, sessions: opened.map(productPeer), processes: { dataPlane: holdfast.pid, agents, postmaster } },
    {
      name: 'yardstick',
      sessions: Array.from({ length: count }, (_, i) => yardstick.peer(i)),
      processes: { dataPlane: yardstick.pid, agents: yardstick.agentPids, postmaster },
    },
  ];
  for (const session of sides.flatMap((side) => side.sessions)) {
    await checkCase(session, expression);
    for (let i = 0; i < warmUp; i++) await session.run(expression);
  }
  await untilAtRest(holdfast.pid);
  return sides;
}
