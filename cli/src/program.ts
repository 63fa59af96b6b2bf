import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addContexts } from './commands/contexts.ts';
import { addCp } from './commands/cp.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExec } from './commands/exec.ts';
import { addExport } from './commands/export.ts';
import { addJobs } from './commands/jobs.ts';
import { addKeys } from './commands/keys.ts';
import { addKill } from './commands/kill.ts';
import { addLogs } from './commands/logs.ts';
import { addMcp } from './commands/mcp.ts';
import { addPorts } from './commands/ports.ts';
import { addProposals } from './commands/proposals.ts';
import { addPs } from './commands/ps.ts';
import { addRepl } from './commands/repl.ts';
import { addRun } from './commands/run.ts';
import { addServers } from './commands/servers.ts';
import { addSessions } from './commands/sessions.ts';
import { addShell } from './commands/shell.ts';
import { addSnapshots } from './commands/snapshots.ts';
import { addSteps } from './commands/steps.ts';
import { addUp } from './commands/up.ts';
import { formats } from './output/list-writer.ts';

const lastGroup = 'Servers and keys:';

const groups = {
  'Use a session:': [addRun, addRepl, addShell, addExec, addPs, addKill, addCp, addLogs, addExport],
  'Manage what a session has:': [addSessions, addSteps, addContexts, addJobs, addSnapshots, addProposals, addPorts],
  [lastGroup]: [addUp, addKeys, addServers, addMcp, addDoctor, addCompletion],
};

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
  for (const [group, adds] of Object.entries(groups)) {
    program.commandsGroup(group);
    for (const add of adds) add(program);
  }
  program.addHelpCommand(
    new Command('help').argument('[command]').description('show how a command is used').helpGroup(lastGroup),
  );
  return program;
}

/** The sources and the packed program are both in a folder beside it. */
const version = (): string => JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
