import type { SessionEvent, Step } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { printer } from '../output/printer.ts';
import { eventDisplay } from '../output/show-event.ts';
import { styles } from '../output/style.ts';
import { printable } from '../output/table.ts';
import { write } from '../output/write.ts';
import { latest } from './latest.ts';
import { whole } from './option-values.ts';

type LogOptions = { follow?: boolean; last?: number; audit?: boolean };

export function addLogs(program: Command): void {
  program
    .command('logs')
    .description('show the code and the output of all steps of a session, by all actors')
    .argument('<session>', 'its id or client key')
    .option('-f, --follow', 'go on with all that happens, until the session ends')
    .option('--audit', 'also what else was done with the session')
    .option('-n, --last <count>', 'begin with the latest steps', whole)
    .addHelpText('after', examples)
    .action(async (name: string, options: LogOptions, command: Command) => await logs(name, options, command));
}

const examples = `
Examples:
  $ holdfast logs notebook-7 --last 3
  $ holdfast logs notebook-7 --follow
  $ holdfast logs notebook-7 --follow -o json | jq .type      # one event a line`;

async function logs(name: string, { follow, last, audit = false }: LogOptions, command: Command): Promise<void> {
  const session = await findSession(await connect(command), name);
  const { format } = printer(command);
  const show = format === 'table' || format === 'name' ? display(audit) : showAsLine;
  const shown = await latest(heads(session.steps.list({ order: 'desc' })), last ?? Number.POSITIVE_INFINITY);
  const codes = new Map(shown.map((step) => [step.id, step]));
  const oldest = shown[0]?.queuedAt ?? '';
  const open = new Set(shown.filter(({ finishedAt }) => finishedAt !== null).map(({ id }) => id));
  if (!follow && open.size === 0) return;

  for await (const event of session.events()) {
    // Earlier ones are not asked for; the stream has no way to begin in its middle without a cursor.
    if (last !== undefined && event.time < oldest) continue;
    const step = event.type === 'session' || event.type !== 'started' ? undefined : codes.get(event.stepId);
    await show(event, step ?? (event.type === 'started' ? await session.steps.get(event.stepId) : undefined));
    if (event.type === 'finished') open.delete(event.stepId);
    if (!follow && open.size === 0) return;
  }
}

type Head = Pick<Step, 'id' | 'number' | 'actor' | 'actorName' | 'language' | 'code' | 'queuedAt' | 'finishedAt'>;

/** Without the output, of which a long history has much; it comes with the events. */
async function* heads(steps: AsyncIterable<Step>): AsyncGenerator<Head> {
  for await (const { id, number, actor, actorName, language, code, queuedAt, finishedAt } of steps) {
    yield { id, number, actor, actorName, language, code, queuedAt, finishedAt };
  }
}

/** Shows the events as a person reads them: the code of a step when it starts, and then its output. */
function display(audit: boolean): (event: SessionEvent, step?: Head) => Promise<void> {
  const show = eventDisplay();
  const style = styles(process.stdout);
  return async (event, step) => {
    if (step) {
      const by = step.actorName ?? step.actor;
      const lines = step.code.trimEnd().split('\n').map(printable);
      await write(
        process.stdout,
        `${style('dim', `[${step.number ?? '-'}] ${printable(by)} ${step.language}>`)} ${lines.join('\n    ')}\n`,
      );
    }
    if (event.type === 'session' && audit)
      await write(
        process.stderr,
        `${style('dim', `${event.time} ${event.actor}: ${event.operation} ${event.decision}`)}\n`,
      );
    await show(event);
  };
}

const showAsLine = (event: SessionEvent) => write(process.stdout, `${JSON.stringify(event)}\n`);
