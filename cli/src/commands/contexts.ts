import type { Context } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { age } from '../output/age.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { note } from '../output/progress.ts';
import { pairs } from './option-values.ts';

const kind: Kind<Context> = {
  columns: {
    ID: ({ id }) => id,
    LANGUAGE: ({ language }) => language,
    STATE: ({ state }) => state,
    DEFAULT: ({ isDefault }) => (isDefault ? '*' : null),
    EPOCH: ({ contextEpoch }) => contextEpoch,
    AGE: ({ createdAt }) => age(createdAt),
    FOLDER: ({ cwd }) => cwd,
  },
  name: ({ id }) => id,
};

export function addContexts(program: Command): void {
  const contexts = program
    .command('contexts')
    .description('list, make and restart the interpreters of a session')
    .addHelpText('after', examples);
  contexts
    .command('list', { isDefault: true })
    .description('list the contexts of a session')
    .argument('<session>', 'its id or client key')
    .action(async (name: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).list(await session.contexts.list(), kind);
    });
  contexts
    .command('create')
    .description('start one more interpreter in a session')
    .argument('<session>', 'its id or client key')
    .requiredOption('-l, --language <name>', 'such as python, node or bash')
    .option('--cwd <path>', 'the folder in which its code starts')
    .option('--env <name=value>', 'a variable of its code; may be repeated', pairs)
    .action(
      async (
        name: string,
        options: { language: string; cwd?: string; env?: Record<string, string> },
        command: Command,
      ) => {
        const session = await findSession(await connect(command), name);
        await printer(command).list([await session.contexts.create(options)], kind);
      },
    );
  contexts
    .command('restart')
    .description('give a context a new interpreter, without its names')
    .argument('<session>', 'its id or client key')
    .argument('<context>', 'such as python')
    .action(async (name: string, contextId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).list([await session.contexts.restart(contextId)], kind);
    });
  contexts
    .command('delete')
    .description('end a context that is not a default one')
    .argument('<session>', 'its id or client key')
    .argument('<context>')
    .action(async (name: string, contextId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await session.contexts.delete(contextId);
      note(`deleted ${contextId}`);
    });
}

const examples = `
Examples:
  $ holdfast contexts notebook-7
  $ holdfast contexts create notebook-7 --language node
  $ holdfast contexts restart notebook-7 python`;
