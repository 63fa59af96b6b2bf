import type { CreateOptions, ListOptions, Session, SessionRecord } from '@holdfast/sdk';
import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { age } from '../output/age.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { note, withProgress } from '../output/progress.ts';
import { watch } from '../output/watch.ts';
import { pairs, seconds } from './option-values.ts';

const kind: Kind<SessionRecord> = {
  columns: {
    ID: ({ id }) => id,
    STATUS: ({ status, endReason }) => (endReason ? `${status} (${endReason})` : status),
    LANGUAGE: ({ language }) => language,
    STEPS: ({ stepCount }) => stepCount,
    AGE: ({ createdAt }) => age(createdAt),
    KEY: ({ clientKey }) => clientKey,
  },
  more: {
    PROFILE: ({ profile }) => profile,
    RUNTIME: ({ runtime }) => runtime,
    NETWORK: ({ network }) => network,
    RECOVERY: ({ recovery }) => recovery,
    METADATA: ({ metadata }) => JSON.stringify(metadata),
    'EXPIRES AT': ({ expiresAt }) => expiresAt,
    MESSAGE: ({ endMessage, lostMessage }) => endMessage ?? lostMessage,
  },
  name: ({ id }) => id,
};

export function addSessions(program: Command): void {
  const sessions = program
    .command('sessions')
    .description('list, make and end sessions')
    .addHelpText('after', examples);
  addList(sessions);
  addCreate(sessions);
  sessions
    .command('get')
    .description('show a session')
    .argument('<session>', 'its id or client key')
    .action(async (name: string, _: object, command: Command) => {
      const { record } = await findSession(await connect(command), name);
      await printer(command).one(record, kind);
    });
  addChange(sessions, 'pause', 'save files and state and remove the sandbox', async (session) => {
    for (const { name, reason } of await session.pause()) note(`not saved: ${name}: ${reason}`);
  });
  addChange(sessions, 'resume', 'give a paused session a sandbox with its files and state', (session) =>
    session.resume(),
  );
  addChange(sessions, 'recover', 'give a session that lost its sandbox another one', (session) => session.recover());
  addChange(sessions, 'complete', 'end a session; its history stays readable', (session) => session.complete());
  addChange(sessions, 'abort', 'end a session as one that failed its purpose', (session) => session.abort());
  addDelete(sessions);
}

const examples = `
Examples:
  $ holdfast sessions                                    # the same as: holdfast sessions list
  $ holdfast sessions create --language node --key notebook-7
  $ holdfast sessions list --status active -o name | xargs holdfast sessions delete
  $ holdfast sessions list --watch`;

type ListCommandOptions = {
  status?: SessionRecord['status'][];
  metadata?: Record<string, string>;
  key?: string;
  watch?: boolean;
};

function addList(sessions: Command): void {
  sessions
    .command('list', { isDefault: true })
    .description('list the sessions of the tenant, the latest first')
    .option('--status <status...>', 'those with this status, such as active')
    .option('--metadata <key=value>', 'those that have it', pairs)
    .option('--key <key>', 'those with this client key')
    .option(
      '-w, --watch',
      'go on with each session that changes; with -o json one object a line, with -o yaml one document each',
    )
    .action(async ({ key, watch: isWatched, ...filters }: ListCommandOptions, command: Command) => {
      const holdfast = await connect(command);
      const options: ListOptions = { ...filters, order: 'desc', clientKey: key };
      if (isWatched) return await watch(() => records(holdfast.sessions.list(options)), kind, printer(command));
      await printer(command).list(records(holdfast.sessions.list(options)), kind);
    });
}

type CreateCommandOptions = Pick<
  CreateOptions,
  'language' | 'profile' | 'network' | 'policy' | 'recovery' | 'metadata' | 'env'
> & {
  key?: string;
  fromSnapshot?: string;
  timeout?: number;
  idleTimeout?: number;
};

function addCreate(sessions: Command): void {
  sessions
    .command('create')
    .description('make a session and wait until it can run code')
    .option('-l, --language <name>', 'the language of its default context')
    .option('--key <key>', 'your own name for it; if a session with it lives, that one is the answer')
    .option('--profile <name>', 'one of the profiles that the operator offers')
    .option('--network <class>', 'none or internet')
    .option('--policy <preset>', 'unrestricted, safe-analysis or safe-edit')
    .option('--recovery <mode>', 'auto, manual or off')
    .option('--metadata <key=value>', 'may be repeated', pairs)
    .option('--env <name=value>', 'a variable of its code; may be repeated', pairs)
    .option('--from-snapshot <name>', 'begin with the files and the state of a snapshot')
    .option('--timeout <seconds>', 'end it after this time', seconds)
    .option('--idle-timeout <seconds>', 'end it if nothing happens for this time', seconds)
    .action(async ({ key, timeout, idleTimeout, ...rest }: CreateCommandOptions, command: Command) => {
      const options = { ...rest, clientKey: key, timeoutSeconds: timeout, idleTimeoutSeconds: idleTimeout };
      const holdfast = await connect(command);
      const { record } = await withProgress('Starting a session', holdfast.sessions.create(options as CreateOptions));
      await printer(command).list([record], kind);
    });
}

function addChange(
  sessions: Command,
  verb: string,
  description: string,
  change: (session: Session) => Promise<unknown>,
): void {
  sessions
    .command(verb)
    .description(description)
    .argument('<session...>', 'their ids or client keys')
    .action(async (names: string[], _: object, command: Command) => {
      const holdfast = await connect(command);
      const changed: SessionRecord[] = [];
      for (const name of names) {
        const session = await findSession(holdfast, name);
        await change(session);
        changed.push(session.record);
      }
      await printer(command).list(changed, kind);
    });
}

function addDelete(sessions: Command): void {
  sessions
    .command('delete')
    .description('delete sessions with their history and files')
    .argument('<session...>', 'their ids or client keys')
    .action(async (names: string[], _: object, command: Command) => {
      const holdfast = await connect(command);
      for (const name of names) {
        const session = await findSession(holdfast, name);
        await session.delete();
        note(`deleted ${session.id}`);
      }
    });
}

async function* records(sessions: AsyncIterable<Session>): AsyncGenerator<SessionRecord> {
  for await (const { record } of sessions) yield record;
}
