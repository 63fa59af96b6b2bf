import { connectDatabase } from '../../src/registry/connect.ts';
import type { Stage } from '../stage/stage.ts';
import type { Peer } from './peer.ts';

/** One prepared insert of the case's output, which is committed to disk before it resolves. It runs no code. */
export async function startDurableInsert({ database, defer }: Pick<Stage, 'database' | 'defer'>): Promise<Peer> {
  const { sql, close } = connectDatabase({ ...(await database()).address, poolMax: 1 });
  defer(close);
  await sql`create table if not exists bench_rows (id bigint generated always as identity primary key, output bytea)`;
  return {
    name: 'durable insert',
    hides: ['output', 'result', 'error'],
    canRun: ({ language }) => language === 'python',
    async run({ output }) {
      await sql`insert into bench_rows (output) values (${Buffer.from(output)})`;
      return { output: '', result: null, error: null };
    },
  };
}
