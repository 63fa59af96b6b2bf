import type { ProcessSummary } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { age } from '../output/age.ts';
import { bytes } from '../output/bytes.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { watch } from '../output/watch.ts';

const kind: Kind<ProcessSummary> = {
  columns: {
    ID: ({ id }) => id,
    STATUS: ({ status }) => status,
    EXIT: ({ exitCode, signal }) => exitCode ?? signal,
    PID: ({ pid }) => pid,
    CPU: ({ usage }) => (usage?.cpuSeconds == null ? null : `${usage.cpuSeconds.toFixed(2)} s`),
    MEMORY: ({ usage }) => (usage?.memoryBytesMax == null ? null : bytes(usage.memoryBytesMax)),
    AGE: ({ startedAt }) => age(startedAt),
    COMMAND: ({ command }) => (typeof command === 'string' ? command : command.join(' ')),
  },
  name: ({ id }) => id,
};

type PsOptions = { all?: boolean; watch?: boolean };

export function addPs(program: Command): void {
  program
    .command('ps')
    .alias('processes')
    .description('list the processes of a session')
    .argument('<session>', 'its id or client key')
    .option('-a, --all', 'also those that have ended')
    .option(
      '-w, --watch',
      'go on with each process that changes; with -o json one object a line, with -o yaml one document each',
    )
    .addHelpText('after', examples)
    .action(async (name: string, { all, watch: isWatched }: PsOptions, command: Command) => {
      const session = await findSession(await connect(command), name);
      const read = () => session.processes.list(all || isWatched ? {} : { status: 'running' });
      if (isWatched) return await watch(read, kind, printer(command));
      await printer(command).list(read(), kind);
    });
}

const examples = `
Examples:
  $ holdfast ps notebook-7 --all
  $ holdfast ps notebook-7 -o name | xargs holdfast kill notebook-7`;
