import type { Queries } from '../queries.ts';

/**
 * The names of the sandboxes that no session uses at the moment: those that are launched or removed, and those in a state that this
 * version does not know. The replica that launches or removes one looks after it.
 */
export async function listUnboundSandboxes({ sql }: Queries): Promise<string[]> {
  const unbound = await sql<{ name: string }[]>`select name from sandboxes where state not in ('bound', 'gone')`;
  return unbound.map(({ name }) => name);
}
