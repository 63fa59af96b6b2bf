import type { Queries } from '../queries.ts';

/** Stores the value unless one is stored under this name, and returns the stored one. */
export async function storeDevelopmentKey(
  { sql }: Queries,
  { name, value }: { name: string; value: string },
): Promise<string> {
  const [stored] = await sql<{ value: string }[]>`
    insert into development_keys (name, value) values (${name}, ${value})
    on conflict (name) do update set value = development_keys.value
    returning value`;
  if (!stored) throw new Error(`the key ${name} was not stored`);
  return stored.value;
}
