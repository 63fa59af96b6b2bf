import type { Session } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { printer } from '../output/printer.ts';
import { eventDisplay } from '../output/show-event.ts';
import { jsonOf, yamlOf } from '../output/structured.ts';
import { styles } from '../output/style.ts';
import { printable } from '../output/table.ts';
import { write } from '../output/write.ts';
import { type Head, heads, type Show, showLatest, showLatestAndFollow } from './latest-steps.ts';
import { whole } from './option-values.ts';

type LogOptions = { follow?: boolean; last?: number; audit?: boolean };

export function addLogs(program: Command): void {
  program
    .command('logs')
    .description('show the code and the output of all steps of a session, by all actors')
    .argument('<session>', 'its id or client key')
    .option('-f, --follow', 'go on with all that happens, until the session ends')
    .option('--audit', 'also what else was done with the session')
    .option('-n, --last <count>', 'only the latest steps', whole)
    .addHelpText('after', examples)
    .action(async (name: string, options: LogOptions, command: Command) => await logs(name, options, command));
}

const examples = `
Examples:
  $ holdfast logs notebook-7 --last 3
  $ holdfast logs notebook-7 --follow
  $ holdfast logs notebook-7 --follow -o json | jq .type      # one event a line`;

async function logs(
  name: string,
  { follow = false, last, audit = false }: LogOptions,
  command: Command,
): Promise<void> {
  const session = await findSession(await connect(command), name);
  const { format } = printer(command);
  const show = format === 'table' || format === 'name' ? display(audit) : showAs[format];
  if (last === undefined) await showAll(session, { show, follow });
  else if (follow) await showLatestAndFollow(session, { show, last });
  else await showLatest(session, { show, last });
}

/** Everything in the order in which it happened. Without `follow`, it ends with the last step that has ended by now. */
async function showAll(session: Session, { show, follow }: { show: Show; follow: boolean }): Promise<void> {
  const open = new Map<string, Head>();
  for await (const step of heads(session.steps.list())) if (step.finishedAt !== null) open.set(step.id, step);
  if (!follow && open.size === 0) return;
  for await (const event of session.events()) {
    const isStart = event.type === 'started';
    await show(event, isStart ? (open.get(event.stepId) ?? (await session.steps.get(event.stepId))) : undefined);
    if (event.type === 'finished') open.delete(event.stepId);
    if (!follow && open.size === 0) return;
  }
}

/** Shows the events as a person reads them: the code of a step when it starts, and then its output. */
function display(audit: boolean): Show {
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

const showAs: Record<'json' | 'yaml', Show> = {
  json: (event) => write(process.stdout, `${jsonOf(event)}\n`),
  yaml: async (event) => await write(process.stdout, `---\n${await yamlOf(event)}`),
};
