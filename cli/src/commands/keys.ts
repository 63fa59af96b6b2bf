import { type ApiKey, HoldfastError } from '@holdfast/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../connection/connect.ts';
import { age } from '../output/age.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { note } from '../output/progress.ts';

const kind: Kind<ApiKey> = {
  columns: {
    ID: ({ id }) => id,
    TENANT: ({ tenant }) => tenant,
    SCOPES: ({ scopes }) => scopes.join(','),
    NAME: ({ name }) => name,
    ACTOR: ({ actor, actorName }) => actorName ?? actor,
    AGE: ({ createdAt }) => age(createdAt),
    REVOKED: ({ revokedAt }) => revokedAt,
  },
  name: ({ id }) => id,
};

type CreateKeyOptions = {
  tenant: string;
  scope: ApiKey['scopes'];
  name?: string;
  actor?: 'agent' | 'user';
  actorName?: string;
};

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('list, make and revoke API keys; needs a key with the scope admin')
    .addHelpText('after', examples);
  keys
    .command('list', { isDefault: true })
    .description('list all keys')
    .action(async (_: object, command: Command) => await printer(command).list(keysOf(command), kind));
  keys
    .command('create')
    .description('make a key and write it to stdout, this once')
    .option('--tenant <name>', 'whose sessions it is for', 'default')
    .addOption(new Option('--scope <scope...>', 'its rights').choices(['run', 'host', 'admin']).default(['run']))
    .option('--name <name>', 'a note for people')
    .addOption(new Option('--actor <actor>', 'steps with this key are of this actor').choices(['agent', 'user']))
    .option('--actor-name <name>', 'the name of that actor')
    .action(async (options: CreateKeyOptions, command: Command) => await create(options, command));
  keys
    .command('revoke')
    .description('make keys invalid')
    .argument('<key...>', 'their ids')
    .action(async (ids: string[], _: object, command: Command) => {
      const { api } = await connect(command);
      for (const keyId of ids) {
        await api.DELETE('/v1/api-keys/{keyId}', { params: { path: { keyId } } });
        note(`revoked ${keyId}`);
      }
    });
}

const examples = `
Examples:
  $ HOLDFAST_API_KEY=$(holdfast keys create --name ci --scope run) holdfast run -c 1
  $ holdfast keys create --tenant team-a --scope run host -o json
  $ holdfast keys revoke key_…`;

async function* keysOf(command: Command): AsyncGenerator<ApiKey> {
  const { api } = await connect(command);
  let cursor: string | null | undefined;
  do {
    const { data } = await api.GET('/v1/api-keys', { params: { query: cursor ? { cursor } : {} } });
    yield* data?.items ?? [];
    cursor = data?.nextCursor;
  } while (cursor);
}

async function create({ scope: scopes, ...options }: CreateKeyOptions, command: Command): Promise<void> {
  const { api } = await connect(command);
  const { data: made } = await api.POST('/v1/api-keys', { body: { ...options, scopes } });
  if (!made) throw new HoldfastError('unexpected-answer', 'The server made no key');
  const { format, value } = printer(command);
  if (format === 'json' || format === 'yaml') return await value(made);
  note(`${made.id}, for ${made.scopes.join(', ')} of the tenant ${made.tenant}. The key is shown only now:`);
  process.stdout.write(`${made.key}\n`);
}
