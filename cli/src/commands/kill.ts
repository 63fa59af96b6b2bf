import type { Signal } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';

export function addKill(program: Command): void {
  program
    .command('kill')
    .description('send a signal to processes of a session')
    .argument('<session>', 'its id or client key')
    .argument('<process...>', 'their ids')
    .option('--signal <name>', 'such as SIGINT or KILL', 'SIGTERM')
    .addHelpText('after', '\nExample:\n  $ holdfast kill notebook-7 prc_… --signal KILL')
    .action(async (name: string, ids: string[], { signal }: { signal: string }, command: Command) => {
      const session = await findSession(await connect(command), name);
      const full = signal.toUpperCase().replace(/^(?:SIG)?/, 'SIG') as Signal;
      for (const id of ids) await (await session.processes.get(id)).signal(full);
    });
}
