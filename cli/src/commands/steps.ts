import type { Session, Step } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { Failure } from '../failures/failure.ts';
import { age } from '../output/age.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { latest } from './latest.ts';
import { whole } from './option-values.ts';

const kind: Kind<Step> = {
  columns: {
    NUMBER: ({ number }) => number,
    ID: ({ id }) => id,
    STATUS: ({ status }) => status,
    ACTOR: ({ actor, actorName }) => actorName ?? actor,
    LANGUAGE: ({ language }) => language,
    AGE: ({ queuedAt }) => age(queuedAt),
    MS: ({ durationMs }) => (durationMs === null ? null : Math.round(durationMs)),
    CODE: ({ code }) => code,
  },
  more: {
    CONTEXT: ({ contextId }) => contextId,
    STDOUT: ({ stdout }) => stdout,
    STDERR: ({ stderr }) => stderr,
    RESULT: ({ results }) => results.find(({ isMain }) => isMain)?.data['text/plain'] as string | undefined,
    ERROR: ({ error }) => (error ? `${error.name}: ${error.message}` : null),
    'EXIT CODE': ({ exitCode }) => exitCode,
    CAUSE: ({ cause }) => cause?.message,
  },
  name: ({ id }) => id,
};

export function addSteps(program: Command): void {
  const steps = program.command('steps').description('show the history of a session').addHelpText('after', examples);
  steps
    .command('list', { isDefault: true })
    .description('list the steps of a session in their order')
    .argument('<session>', 'its id or client key')
    .option('-n, --last <count>', 'only the latest', whole)
    .action(async (name: string, { last }: { last?: number }, command: Command) => {
      const session = await findSession(await connect(command), name);
      const rows =
        last === undefined ? session.steps.list() : await latest(session.steps.list({ order: 'desc' }), last);
      await printer(command).list(rows, kind);
    });
  steps
    .command('get')
    .description('show a step')
    .argument('<session>', 'its id or client key')
    .argument('<step>', 'the id of the step')
    .action(async (name: string, stepId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).one(await session.steps.get(stepId), kind);
    });
  steps
    .command('interrupt')
    .description('interrupt a step that runs, as Ctrl-C does')
    .argument('<session>', 'its id or client key')
    .argument('[step]', 'the id of the step; default: the latest one that runs')
    .action(async (name: string, stepId: string | undefined, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await session.steps.interrupt(stepId ?? (await running(session)));
    });
}

const examples = `
Examples:
  $ holdfast steps notebook-7 --last 5
  $ holdfast steps get notebook-7 stp_… -o json
  $ holdfast steps interrupt notebook-7`;

async function running({ steps, id }: Pick<Session, 'steps' | 'id'>): Promise<string> {
  for await (const step of steps.list({ order: 'desc' })) if (step.status === 'running') return step.id;
  throw new Failure(`nothing runs in ${id}`);
}
