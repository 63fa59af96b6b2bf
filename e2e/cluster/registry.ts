import { kubectl } from './kubectl.ts';
import { holdfastNamespace } from './namespaces.ts';
import { postgresPod } from './pods.ts';

/** Rows of the registry, by a query of the bundled Postgres: columns separated by `|`. */
export async function registryRows(query: string): Promise<string[]> {
  const { metadata } = await postgresPod();
  const psql = ['psql', '-h', '127.0.0.1', '-U', 'holdfast', '-d', 'holdfast', '-At', '-c', query];
  // The password is the container's own variable, so that it shows in no process list.
  const output = await kubectl([
    '-n',
    holdfastNamespace,
    'exec',
    metadata.name,
    '--',
    'sh',
    '-c',
    'PGPASSWORD="$POSTGRES_PASSWORD" exec "$@"',
    'sh',
    ...psql,
  ]);
  return output.split('\n').filter((line) => line !== '');
}
