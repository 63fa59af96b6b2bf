import type postgres from 'postgres';
import { scramVerifier } from './scram-verifier.ts';

/** The role under which the program runs, and the password that it gets if it has to be made. */
export type ProgramRole = { name: string; password: string };

/**
 * Lets the role use the tables of this connection's role, also those of later migrations, and nothing else: it can neither change nor empty
 * nor remove a table. Makes the role if there is none and this connection may.
 * @throws UnfitRole
 */
export async function grantRights(connection: postgres.Sql, { name, password }: ProgramRole): Promise<void> {
  const [found] = await connection<{ isOwner: boolean }[]>`
    select rolsuper or pg_has_role(oid, current_user, 'member') as "isOwner" from pg_roles where rolname = ${name}`;
  if (found?.isOwner) throw new UnfitRole(name, 'has all rights of the role that owns the tables');
  if (!found) await createRole(connection, { name, password });
  const tables = await ownTables(connection);
  if (!tables)
    throw new UnfitRole(name, 'gets nothing, since the other role owns none of the tables; are the two URLs swapped?');
  const role = connection(name);
  await connection`grant usage on schema public, drizzle to ${role}`;
  await connection`grant select on drizzle.__drizzle_migrations to ${role}`;
  await connection`grant select, insert, update, delete on ${connection.unsafe(tables)} to ${role}`;
  await connection`grant select, insert on audit_entries to ${role}`;
  await connection`alter default privileges in schema public grant select, insert, update, delete on tables to ${role}`;
  await connection`alter default privileges in schema public grant usage on sequences to ${role}`;
}

async function createRole(connection: postgres.Sql, { name, password }: ProgramRole): Promise<void> {
  const [may] = await connection`select 1 from pg_roles where rolname = current_user and (rolcreaterole or rolsuper)`;
  if (!may) throw new UnfitRole(name, 'does not exist, and the role that owns the tables may not make it');
  const [made] = await connection<{ statement: string }[]>`
    select format('create role %I login password %L', ${name}::text, ${scramVerifier(password)}::text) as statement`;
  await connection.unsafe(made?.statement ?? '');
}

/** Tables that others have made in the same schema are not ours to share. The audit log can only be read and added to. */
async function ownTables(connection: postgres.Sql): Promise<string | null> {
  const [own] = await connection<{ names: string | null }[]>`
    select string_agg(format('%I.%I', schemaname, tablename), ', ') as names from pg_tables
    where schemaname = 'public' and tablename <> 'audit_entries' and pg_has_role(tableowner, 'usage')`;
  return own?.names ?? null;
}

/** The role cannot be the one under which the program runs. */
export class UnfitRole extends Error {
  override name = 'UnfitRole';

  constructor(role: string, fault: string) {
    super(`the role "${role}" ${fault}`);
  }
}
