import type { Proposal } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { age } from '../output/age.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { styles } from '../output/style.ts';
import { printable } from '../output/table.ts';
import { write } from '../output/write.ts';

const kind: Kind<Proposal> = {
  columns: {
    NUMBER: ({ number }) => number,
    ID: ({ id }) => id,
    STATUS: ({ status }) => status,
    CHANGES: ({ changeCount }) => changeCount,
    STEP: ({ stepId }) => stepId,
    AGE: ({ createdAt }) => age(createdAt),
    'DECIDED BY': ({ decidedBy }) => decidedBy,
  },
  name: ({ id }) => id,
};

export function addProposals(program: Command): void {
  const proposals = program
    .command('proposals')
    .description('look at changes of files that wait for approval, and decide')
    .addHelpText('after', examples);
  proposals
    .command('list', { isDefault: true })
    .description('list the proposals of a session')
    .argument('<session>', 'its id or client key')
    .option('--status <status>', 'open, committed, rejected or rolled_back')
    .action(async (name: string, { status }: { status?: Proposal['status'] }, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).list(session.proposals.list(status ? { status } : {}), kind);
    });
  proposals
    .command('diff')
    .description('show the changes of a proposal')
    .argument('<session>', 'its id or client key')
    .argument('<proposal>')
    .action(
      async (name: string, proposalId: string, _: object, command: Command) => await diff(name, proposalId, command),
    );
  addDecision(proposals, 'commit', 'take the changes into the approved files of the session');
  addDecision(proposals, 'reject', 'put the files back as they were');
}

const examples = `
Examples:
  $ holdfast proposals notebook-7 --status open
  $ holdfast proposals diff notebook-7 prp_…
  $ holdfast proposals commit notebook-7 prp_… src/app.py      # these files alone`;

async function diff(name: string, proposalId: string, command: Command): Promise<void> {
  const session = await findSession(await connect(command), name);
  const proposal = await session.proposals.get(proposalId);
  const { format, value } = printer(command);
  if (format === 'json' || format === 'yaml') return await value(proposal);
  const style = styles(process.stdout);
  const colored = (line: string) => {
    if (line.startsWith('+')) return style('green', line);
    if (line.startsWith('-')) return style('red', line);
    return line.startsWith('@') ? style('cyan', line) : line;
  };
  for (const { path, change, status, diff, diffOmission } of proposal.changes) {
    await write(process.stdout, `${style('bold', printable(`${change} ${path} (${status})`))}\n`);
    const lines = diff === null ? [diffOmission ? `(no text: ${diffOmission})` : ''] : diff.trimEnd().split('\n');
    for (const line of lines) await write(process.stdout, `${colored(printable(line))}\n`);
  }
}

function addDecision(proposals: Command, verb: 'commit' | 'reject', description: string): void {
  proposals
    .command(verb)
    .description(description)
    .argument('<session>', 'its id or client key')
    .argument('<proposal>')
    .argument('[path...]', 'default: all of its changes')
    .action(async (name: string, proposalId: string, paths: string[], _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      const decided = await session.proposals[verb](proposalId, paths.length > 0 ? { paths } : {});
      await printer(command).list([decided], kind);
    });
}
