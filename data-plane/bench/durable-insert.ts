import { connectDatabase, type DatabaseAddress } from '../src/registry/connect.ts';

/** Runs one prepared insert of some bytes, which is committed to disk before it resolves. */
export async function durableInsert(address: DatabaseAddress) {
  const { sql, close } = connectDatabase({ ...address, poolMax: 1 });
  await sql`create table bench_rows (id bigint generated always as identity primary key, output bytea)`;
  return {
    run: async (output: Buffer) => {
      await sql`insert into bench_rows (output) values (${output})`;
    },
    close,
  };
}
