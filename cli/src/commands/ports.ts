import type { Port } from '@holdfast/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { chosenServer, connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { age } from '../output/age.ts';
import { bytes } from '../output/bytes.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { note } from '../output/progress.ts';
import { forwardPort } from '../ports/forward-port.ts';
import { onStop } from '../run/stops.ts';
import { seconds, whole } from './option-values.ts';

const kind: Kind<Port> = {
  columns: {
    ID: ({ id }) => id,
    PORT: ({ port }) => port,
    ACCESS: ({ access }) => access,
    SENT: ({ sentBytes }) => bytes(sentBytes),
    AGE: ({ createdAt }) => age(createdAt),
    CLOSED: ({ revokedAt }) => (revokedAt === null ? null : 'yes'),
    URL: ({ url }) => url,
  },
  name: ({ id }) => id,
};

export function addPorts(program: Command): void {
  const ports = program
    .command('ports')
    .description('reach web servers that listen in the sandbox')
    .addHelpText('after', examples);
  ports
    .command('list', { isDefault: true })
    .description('list the opened ports of a session')
    .argument('<session>', 'its id or client key')
    .action(async (name: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await printer(command).list(session.ports.list(), kind);
    });
  ports
    .command('open')
    .description('give a port an address, and write it to stdout')
    .argument('<session>', 'its id or client key')
    .argument('<port>', 'the port in the sandbox', whole)
    .addOption(new Option('--access <access>', 'whom it lets in').choices(['key', 'link', 'public']).default('link'))
    .option('--expires <seconds>', 'close it after this time', seconds)
    .option('--wait <seconds>', 'wait so long until a server listens', seconds)
    .action(async (name: string, port: number, options: OpenCommandOptions, command: Command) => {
      const session = await findSession(await connect(command), name);
      const { access, expires: expiresSeconds, wait: waitSeconds } = options;
      const opened = await session.ports.open(port, { access, expiresSeconds, waitSeconds });
      const { format, value } = printer(command);
      if (format === 'json' || format === 'yaml') await value(opened);
      else process.stdout.write(`${format === 'name' ? opened.id : opened.url}\n`);
    });
  ports
    .command('forward')
    .description('listen on a port of this machine, and pass HTTP and WebSockets on to one of the sandbox')
    .argument('<session>', 'its id or client key')
    .argument('<ports>', 'LOCAL:REMOTE, or one number for both', localAndRemote)
    .action(async (name: string, { local, remote }: Forward, _: object, command: Command) => {
      await forward(name, { local, remote }, command);
    });
  ports
    .command('close')
    .description('close a port and end its visits')
    .argument('<session>', 'its id or client key')
    .argument('<port>', 'the id of the opened port')
    .action(async (name: string, portId: string, _: object, command: Command) => {
      const session = await findSession(await connect(command), name);
      await session.ports.close(portId);
      note(`closed ${portId}`);
    });
}

type OpenCommandOptions = { access: Port['access']; expires?: number; wait?: number };

const examples = `
Examples:
  $ holdfast ports forward notebook-7 8000:5173      # then open http://127.0.0.1:8000
  $ holdfast ports open notebook-7 5173 --wait 30
  $ holdfast ports notebook-7`;

type Forward = { local: number; remote: number };

function localAndRemote(value: string): Forward {
  const [, first, second] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(value) ?? [];
  const local = Number(first);
  const remote = Number(second ?? first);
  if (!(local <= 65_535 && remote >= 1 && remote <= 65_535)) throw new InvalidArgumentError('It is LOCAL:REMOTE.');
  return { local, remote };
}

async function forward(name: string, { local, remote }: Forward, command: Command): Promise<void> {
  const session = await findSession(await connect(command), name);
  const server = await chosenServer(command);
  const opened = await session.ports.open(remote, { access: 'key' });
  try {
    await using forwarded = await forwardPort({ port: local, to: opened.url, server });
    note(`http://127.0.0.1:${forwarded.port} is port ${remote} of ${session.id}; Ctrl-C ends it`);
    await new Promise<void>((resolve) => {
      const stops = onStop(() => {
        // The next Ctrl-C ends the program, also if the server cannot be reached.
        stops[Symbol.dispose]();
        resolve();
      });
    });
  } finally {
    await session.ports.close(opened.id).catch(() => {});
  }
}
