import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { addMcp } from './commands/mcp.ts';
import { addRepl } from './commands/repl.ts';
import { addRun } from './commands/run.ts';
import { addServers } from './commands/servers.ts';
import { addSessions } from './commands/sessions.ts';
import { addShell } from './commands/shell.ts';
import { formats } from './output/printer.ts';

/** The command line: options of every command, and one function for each command that adds it. */
export function createProgram(): Command {
  const program = new Command('holdfast')
    .description('Live interpreter sessions that keep their state')
    .version(version(), '-V, --version')
    .option('--url <url>', 'the server; default: HOLDFAST_URL, the stored server in use, or http://127.0.0.1:8080')
    .option('--api-key <key>', 'the key; HOLDFAST_API_KEY does not show it to other users of the machine')
    .option('--server <name>', 'a stored server; see `holdfast servers`')
    .addOption(new Option('-o, --output <format>', 'the form of the answer').choices(formats).default('table'))
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)')
    .exitOverride();
  addRun(program);
  addRepl(program);
  addShell(program);
  addSessions(program);
  addMcp(program);
  addServers(program);
  return program;
}

/** The sources and the packed program are both in a folder beside it. */
const version = (): string => JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
