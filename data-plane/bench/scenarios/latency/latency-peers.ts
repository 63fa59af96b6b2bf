import { startDurableInsert } from '../../peers/durable-insert.ts';
import type { Peer } from '../../peers/peer.ts';
import { productPeer } from '../../peers/product.ts';
import { startRawPipe } from '../../peers/raw-pipe.ts';
import { expression } from '../../peers/start-sides.ts';
import type { Stage } from '../../stage/stage.ts';
import { untilAtRest } from '../../stage/until-at-rest.ts';

/** The product and everything that runs on this machine beside it, each with one session that has run its first step. */
export async function startLatencyPeers(stage: Stage): Promise<Peer[]> {
  const holdfast = await stage.holdfast();
  const session = await holdfast.openSession();
  stage.defer(session.close);
  const yardstick = await stage.yardstick(1);
  const others = [yardstick.peer(0), startRawPipe(stage), await startDurableInsert(stage)];
  const peers = [productPeer(session), ...others, ...((await stage.jupyter()) ?? [])];
  for (const peer of peers) await peer.run(expression);
  await untilAtRest(holdfast.pid);
  return peers;
}
