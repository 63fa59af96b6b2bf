import type { Command } from 'commander';
import { changeStoredServers, readStoredServers, type StoredServer } from '../connection/stored-servers.ts';
import { readEnvironment } from '../environment.ts';
import { Failure } from '../failures/failure.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { note } from '../output/progress.ts';

type Named = { name: string; isCurrent: boolean; url: string; hasKey: boolean };

const kind: Kind<Named> = {
  columns: {
    NAME: ({ name }) => name,
    CURRENT: ({ isCurrent }) => (isCurrent ? '*' : null),
    URL: ({ url }) => url,
    KEY: ({ hasKey }) => (hasKey ? 'stored' : null),
  },
  name: ({ name }) => name,
};

export function addServers(program: Command): void {
  const servers = program
    .command('servers')
    .alias('context')
    .description('store servers with their keys, and choose one')
    .addHelpText('after', examples);
  servers
    .command('list', { isDefault: true })
    .description('list the stored servers')
    .action(async (_: object, command: Command) => {
      const { current, servers: stored } = await readStoredServers();
      const rows = Object.entries(stored).map(([name, server]) => named(name, server, current));
      await printer(command).list(rows, kind);
    });
  servers
    .command('add')
    .description('store a server, with the key that --api-key or HOLDFAST_API_KEY gives, and use it')
    .argument('<name>')
    .argument('<url>', 'such as https://holdfast.example.com')
    .action(async (name: string, url: string, _: object, command: Command) => await add(name, url, command));
  servers
    .command('use')
    .description('choose the server of commands that name none')
    .argument('<name>')
    .action(async (name: string) => {
      await changeStoredServers((stored) => {
        if (!stored.servers[name]) throw new Failure(`no server is stored as ${JSON.stringify(name)}`);
        return { ...stored, current: name };
      });
      note(`using ${name}`);
    });
  servers
    .command('remove')
    .description('forget a server and its key')
    .argument('<name>')
    .action(async (name: string) => {
      await changeStoredServers(({ current, servers: stored }) => {
        const { [name]: removed, ...servers } = stored;
        if (!removed) throw new Failure(`no server is stored as ${JSON.stringify(name)}`);
        return { ...(current !== name && { current }), servers };
      });
      note(`removed ${name}`);
    });
}

const examples = `
Examples:
  $ HOLDFAST_API_KEY=hf_… holdfast servers add team https://holdfast.example.com
  $ holdfast servers use team
  $ holdfast --server team sessions list

The file is ~/.config/holdfast/config.yaml, which only you can read.`;

async function add(name: string, url: string, command: Command): Promise<void> {
  const { apiKey = readEnvironment().apiKey } = command.optsWithGlobals<{ apiKey?: string }>();
  if (!/^https?:\/\//i.test(url)) throw new Failure(`${url} does not begin with http:// or https://`, { exitCode: 2 });
  const server: StoredServer = { url, ...(apiKey && { apiKey }) };
  await changeStoredServers(({ servers }) => ({ current: name, servers: { ...servers, [name]: server } }));
  note(`using ${name}`);
}

const named = (name: string, { url, apiKey }: StoredServer, current: string | undefined): Named => ({
  name,
  isCurrent: name === current,
  url,
  hasKey: apiKey !== undefined,
});
