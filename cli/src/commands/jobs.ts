import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Job, RunJob, Session } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { Failure } from '../failures/failure.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { withProgress } from '../output/progress.ts';
import { eventDisplay } from '../output/show-event.ts';
import { exitCodeOfJob } from '../run/exit-code.ts';
import { readCode } from '../run/read-code.ts';
import { leavesAtOnce, onStop, type Stop, stopExitCodes } from '../run/stops.ts';
import { interruptMsMax } from '../run/stream-code.ts';
import { pairs, seconds } from './option-values.ts';

const kind: Kind<Job> = {
  columns: {
    ID: ({ id }) => id,
    STATUS: ({ status }) => status,
    EXIT: ({ exitCode, signal }) => exitCode ?? signal,
    LANGUAGE: ({ language }) => language,
    MS: ({ durationMs }) => (durationMs === null ? null : Math.round(durationMs)),
    FILES: ({ artifacts }) => Object.keys(artifacts.outputs).join(' '),
  },
  more: {
    STDOUT: ({ stdout }) => stdout,
    STDERR: ({ stderr }) => stderr,
    CAUSE: ({ cause }) => cause?.message,
  },
  name: ({ id }) => id,
};

type JobCommandOptions = {
  code?: string;
  language?: string;
  session?: string;
  with?: string[];
  env?: Record<string, string>;
  timeout?: number;
};

export function addJobs(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('run programs in fresh processes, with arguments and files')
    .addHelpText('after', examples);
  jobs
    .command('run')
    .description('run a program once and show its output; the exit code is that of the program')
    .argument('[file]', 'the file with the program, or - for stdin')
    .argument('[args...]', 'its arguments; after -- if one begins with a dash')
    .option('-c, --code <code>', 'the program itself')
    .option('-l, --language <name>', 'python, node, bash …; default: what the name of the file says')
    .option('-s, --session <session>', 'run it there; default: in a sandbox of its own')
    .option('--with <file>', 'a file that it finds beside it; may be repeated', (file, files: string[] = []) => [
      ...files,
      file,
    ])
    .option('--env <name=value>', 'a variable of it; may be repeated', pairs)
    .option('--timeout <seconds>', 'kill it after this time', seconds)
    .action(async (file: string | undefined, args: string[], options: JobCommandOptions, command: Command) => {
      process.exitCode = await runJob(file, args, options, command);
    });
  jobs
    .command('list', { isDefault: true })
    .description('list the jobs of a session')
    .argument('<session>', 'its id or client key')
    .action(async (name: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).list(session.jobs.list(), kind);
    });
  jobs
    .command('get')
    .description('show a job')
    .argument('<session>', 'its id or client key')
    .argument('<job>', 'its id')
    .action(async (name: string, jobId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).one(await session.jobs.get(jobId), kind);
    });
}

const examples = `
Examples:
  $ holdfast jobs run report.py 2026 --with data.csv
  $ holdfast jobs run --session notebook-7 main.js -- --verbose
  $ holdfast jobs list notebook-7`;

async function runJob(
  file: string | undefined,
  args: string[],
  { session: name, with: files = [], timeout: timeoutSeconds, env, ...source }: JobCommandOptions,
  command: Command,
): Promise<number> {
  // With -c, the first word is an argument already.
  const isInline = source.code !== undefined;
  const { code, language } = await readCode({ ...source, file: isInline ? undefined : file });
  if (language === undefined) throw new Failure('name the --language', { exitCode: 2 });
  const body: RunJob = {
    language: language as RunJob['language'],
    code,
    args: isInline && file !== undefined ? [file, ...args] : args,
    env,
    timeoutSeconds,
    files: Object.fromEntries(await Promise.all(files.map(contentOf))),
    wait: false,
  };
  const holdfast = await connect(command);
  const sessionId = name === undefined ? undefined : (await findSession(holdfast, name)).id;
  const started = await withProgress(
    'Starting a session',
    holdfast.api.POST('/v1/run', { body: { ...body, sessionId } }),
  );
  const job = started.data as Job;
  const session = await holdfast.sessions.get(job.sessionId);
  const { format, value } = printer(command);
  const left = await follow(session, job.id, format === 'table' || format === 'name');
  if (left) return stopExitCodes[left];
  const ended = await session.jobs.wait(job.id);
  if (format === 'json' || format === 'yaml') await value(ended);
  return exitCodeOfJob(ended);
}

/** A job is a step, so its events come as it runs. Ctrl-C interrupts it, and the second one leaves it; then the answer is the reason. */
async function follow(session: Session, jobId: string, isShown: boolean): Promise<Stop | null> {
  const display = eventDisplay();
  const leave = new AbortController();
  using _stops = onStop((stop, times) => {
    session.steps.interrupt(jobId, { signal: AbortSignal.timeout(interruptMsMax) }).catch(() => {});
    if (leavesAtOnce(stop, times)) leave.abort(stop);
  });
  const { signal } = leave;
  try {
    const events = session.steps.follow(jobId, { signal });
    for await (const event of events) if (isShown && event.type !== 'error') await display(event);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return signal.aborted ? signal.reason : null;
}

const contentOf = async (path: string) => [basename(path), { base64: await readFile(path, 'base64') }] as const;
