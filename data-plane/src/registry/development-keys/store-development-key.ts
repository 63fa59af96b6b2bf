import type { Queries } from '../queries.ts';

/** Keeps the value where none is kept under that name, and gives back the one that is. */
export async function storeDevelopmentKey(
  { sql }: Queries,
  { name, value }: { name: string; value: string },
): Promise<string> {
  const [kept] = await sql<{ value: string }[]>`
    insert into development_keys (name, value) values (${name}, ${value})
    on conflict (name) do update set value = development_keys.value
    returning value`;
  if (!kept) throw new Error(`no key is kept under ${name}`);
  return kept.value;
}
