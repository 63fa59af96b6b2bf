/** Runs an embedded Postgres until it is killed: `node registry-embedded-program.ts <dataDir>`. Prints its address as JSON. */
import { startEmbeddedPostgres } from '../../src/registry/embedded/start-embedded-postgres.ts';

const { address } = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', progress: () => {} });
process.stdout.write(`${JSON.stringify(address)}\n`);
setInterval(() => {}, 60_000);
