import { kubectl } from './kubectl.ts';
import { holdfastNamespace } from './namespaces.ts';
import { postgresPod } from './pods.ts';

/** The rows that a query of the bundled Postgres returns, with columns separated by `|`. */
export async function registryRows(query: string): Promise<string[]> {
  const { metadata } = await postgresPod();
  const psql = ['psql', '-h', '127.0.0.1', '-U', 'holdfast', '-d', 'holdfast', '-At', '-c', query];
  // The password comes from the container's own variable, so that no process list shows it.
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
