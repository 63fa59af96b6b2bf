import type { Restored, Snapshot } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { age } from '../output/age.ts';
import { bytes } from '../output/bytes.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { note, withProgress } from '../output/progress.ts';

const kind: Kind<Snapshot> = {
  columns: {
    ID: ({ id }) => id,
    CONTEXT: ({ contextId }) => contextId,
    SIZE: ({ size }) => bytes(size),
    NAMES: ({ saved }) => saved.length,
    'NOT SAVED': ({ notSaved }) => notSaved.map(({ name }) => name).join(', '),
    FILES: ({ files }) => (files ? 'yes' : 'no'),
    ORIGIN: ({ origin }) => origin,
    AGE: ({ createdAt }) => age(createdAt),
  },
  name: ({ id }) => id,
};

export function addSnapshots(program: Command): void {
  const snapshots = program
    .command('snapshots')
    .description('save and restore the state of a session')
    .addHelpText('after', examples);
  snapshots
    .command('list', { isDefault: true })
    .description('list the snapshots of a session')
    .argument('<session>', 'its id or client key')
    .action(async (name: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).list(await session.snapshots.list(), kind);
    });
  snapshots
    .command('create')
    .description('save a context and the files')
    .argument('<session>', 'its id or client key')
    .option('--context <id>', 'default: the default context')
    .option('--no-files', 'save the names of the context alone')
    .option('--name <name>', 'keep it under this name, for `holdfast sessions create --from-snapshot`')
    .action(async (name: string, options: { context?: string; files: boolean; name?: string }, command: Command) => {
      const session = await findSession(await connect(command), name);
      const { context: contextId, files } = options;
      const made = await withProgress('Saving', session.snapshots.create({ contextId, ...(!files && { files }) }));
      for (const { name, reason } of made.notSaved) note(`not saved: ${name}: ${reason}`);
      if (options.name !== undefined) await session.snapshots.name(made.id, options.name);
      await printer(command).list([made], kind);
    });
  snapshots
    .command('restore')
    .description('give the context of a snapshot the state that it had')
    .argument('<session>', 'its id or client key')
    .argument('<snapshot>')
    .action(async (name: string, snapshotId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      const restored = await withProgress('Restoring', session.snapshots.restore(snapshotId));
      await printer(command).value(restored satisfies Restored);
    });
  snapshots
    .command('delete')
    .description('delete a snapshot')
    .argument('<session>', 'its id or client key')
    .argument('<snapshot>')
    .action(async (name: string, snapshotId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await session.snapshots.delete(snapshotId);
      note(`deleted ${snapshotId}`);
    });
}

const examples = `
Examples:
  $ holdfast snapshots create notebook-7
  $ holdfast snapshots restore notebook-7 snp_…
  $ holdfast snapshots create notebook-7 --name with-data && holdfast sessions create --from-snapshot with-data`;
