import { setTimeout as pause } from 'node:timers/promises';
import type { Session, SessionEvent, Step, StepEvent } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { printer } from '../output/printer.ts';
import { eventDisplay } from '../output/show-event.ts';
import { jsonOf, yamlOf } from '../output/structured.ts';
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

type Show = (event: SessionEvent | StepEvent, step?: Head) => Promise<void>;

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

type Latest = { show: Show; last: number };

/** Shows the latest steps, without those that have not ended, which are the answer. */
async function showLatest(session: Session, { show, last }: Latest): Promise<Head[]> {
  const steps = await latest(heads(session.steps.list({ order: 'desc' })), last);
  for (const step of steps) if (step.finishedAt !== null) await showStep(session, { show, step });
  return steps;
}

async function showStep(session: Session, { show, step }: { show: Show; step: Head }): Promise<void> {
  for await (const event of session.steps.follow(step.id))
    await show(event, event.type === 'started' ? step : undefined);
}

const beginMs = 1000;

/** The stream begins with what runs then, so it is asked for before the list; steps that have ended between both are looked for afterwards. */
async function showLatestAndFollow(session: Session, { show, last }: Latest): Promise<void> {
  const over = new AbortController();
  try {
    const events = session.events({ from: 'now', signal: over.signal });
    const first = events.next();
    const begun = first.catch(() => {});
    const steps = await showLatest(session, { show, last });
    await Promise.race([begun, pause(beginMs)]);
    const missed = await listMissed(session, steps);
    for (const step of missed) await showStep(session, { show, step });
    const shown = new Set(missed.map(({ id }) => id));
    for (let next = await first; !next.done; next = await events.next()) {
      const event = next.value;
      if (event.type !== 'session' && shown.has(event.stepId)) continue;
      await show(event, event.type === 'started' ? await session.steps.get(event.stepId) : undefined);
    }
  } finally {
    over.abort();
  }
}

/** The steps that have ended since a list of the latest ones. */
async function listMissed(session: Session, listed: Head[]): Promise<Head[]> {
  const shown = new Set(listed.filter(({ finishedAt }) => finishedAt !== null).map(({ id }) => id));
  const since = listed.find(({ finishedAt }) => finishedAt === null)?.number ?? (listed.at(-1)?.number ?? 0) + 1;
  const missed: Head[] = [];
  for await (const step of heads(session.steps.list({ order: 'desc' }))) {
    if ((step.number ?? 0) < since) break;
    if (step.finishedAt !== null && !shown.has(step.id)) missed.unshift(step);
  }
  return missed;
}

type Head = Pick<Step, 'id' | 'number' | 'actor' | 'actorName' | 'language' | 'code' | 'queuedAt' | 'finishedAt'>;

/** Without the output, of which a long history has much; it comes with the events. */
async function* heads(steps: AsyncIterable<Step>): AsyncGenerator<Head> {
  for await (const { id, number, actor, actorName, language, code, queuedAt, finishedAt } of steps) {
    yield { id, number, actor, actorName, language, code, queuedAt, finishedAt };
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
