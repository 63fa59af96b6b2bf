import { connectDatabase } from '../../src/registry/connect.ts';
import type { Stage } from '../stage/stage.ts';
import { provesPeers } from './proves-peers.ts';

/** The guarantees that a fast figure could be bought with, as the running system shows them. */
export type Guarantees = {
  /** As Postgres answers `SHOW` on a connection that is opened as the data-plane opens its own. */
  fsync: string;
  synchronousCommit: string;
  /** An agent refuses a request without a token. */
  agentAuthentication: 'on' | 'off';
  /** Something else at the address of a session's agent is asked for its proof, and is sent neither a token nor code. */
  peerProof: 'on' | 'off';
};

/** Reads them from a session of the stage's Holdfast, which it ends. */
export async function checkGuarantees(stage: Pick<Stage, 'database' | 'holdfast'>): Promise<Guarantees> {
  const { sql, close } = connectDatabase({ ...(await stage.database()).address, poolMax: 1 });
  const [durability] = await sql<{ fsync: string; synchronous: string }[]>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous`;
  await close();
  const session = await (await stage.holdfast()).openSession();
  await session.runStep({ code: '1' });
  const { status } = await fetch(`${await session.agentEndpoint()}/v1/session`);
  const proves = await provesPeers(session);
  await session.close();
  return {
    fsync: durability?.fsync ?? 'unknown',
    synchronousCommit: durability?.synchronous ?? 'unknown',
    agentAuthentication: status === 401 ? 'on' : 'off',
    peerProof: proves ? 'on' : 'off',
  };
}
