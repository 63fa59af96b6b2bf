import { fileURLToPath } from 'node:url';
import { ConfigError, parseConfig } from './config/parse-config.ts';
import { parseMigrationConfig } from './config/parse-migration-config.ts';
import { registrySettings } from './config/registry-settings.ts';
import { compileEarly } from './start/compile-early.ts';
import { migrateDatabase } from './start/database/migrate-database.ts';
import { purgeAuditLog } from './start/database/purge-audit-log.ts';
import { startDataPlane } from './start/start-data-plane.ts';
import { startFailure } from './start/start-failure.ts';

const agentMain = fileURLToPath(new URL('../../session-agent/src/main.ts', import.meta.url));

/** Prints progress for a person in development. Production only logs. */
function progressOf(env: string): (message: string) => void {
  return env === 'development' ? (message) => console.log(`  ${message}`) : () => {};
}

/** The commands: none serves until a signal; the others work on the database under the role that owns it. */
async function main([command, ...more]: string[]): Promise<void> {
  if (command === undefined) await serve();
  else if (command === 'migrate' && more.length === 0) await migrateDatabase(parseMigrationConfig(process.env));
  else if (command === 'purge-audit' && more.length === 0) await purgeAuditLog(parseMigrationConfig(process.env));
  else throw new ConfigError([`the commands are migrate and purge-audit, not ${[command, ...more].join(' ')}`]);
}

async function serve(): Promise<void> {
  compileEarly();
  const config = parseConfig(process.env);
  const progress = progressOf(config.env);
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', JUPYTER_PATH = '' } = process.env;
  const stopping = new AbortController();
  const force = new AbortController();
  let firstAt = 0;
  const onSignal = () => {
    // One Ctrl-C can arrive twice: from the terminal, and again from the parent process.
    if (!firstAt) firstAt = Date.now();
    else if (Date.now() - firstAt > 1000) force.abort();
    stopping.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const machine = { path: PATH, home: HOME, jupyterPath: JUPYTER_PATH, registries: registrySettings(process.env) };
  const started = await startDataPlane({ config, progress, agentMain, ...machine });
  started.failed.then((reason) => {
    // Nothing more can be recorded, so waiting is pointless.
    force.abort();
    if (stopping.signal.aborted) return;
    console.error(`holdfast: ${reason}`);
    process.exitCode = 1;
    stopping.abort();
  });
  if (!stopping.signal.aborted) await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
  progress(`stopping; running steps get ${config.drainSeconds} s (press Ctrl-C again to stop them now)`);
  await started.stop(force.signal);
}

/** The setting with the URL that this command connects to. */
function urlSetting(command: string | undefined): string {
  const { HOLDFAST_MIGRATION_DATABASE_URL: owner } = process.env;
  return command !== undefined && owner ? 'HOLDFAST_MIGRATION_DATABASE_URL' : 'DATABASE_URL';
}

/** Exit codes of sysexits.h: 78 for a configuration that cannot be used, 1 for any other failure. */
main(process.argv.slice(2)).then(
  () => process.exit(),
  (error) => {
    console.error(`holdfast: ${startFailure(error, urlSetting(process.argv[2]))}`);
    process.exit(error instanceof ConfigError ? 78 : 1);
  },
);
