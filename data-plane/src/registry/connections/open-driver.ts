import postgres from 'postgres';
import { isoText } from '../../timing/iso-text.ts';
import { parseDatabaseUrl, tlsOptions } from './parse-database-url.ts';

/** The address of a Postgres: a URL with libpq's parameters, or a Unix socket in the directory `host`. */
export type DatabaseAddress =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

type DriverOptions = {
  /** Sent to the server at the login. They take precedence over the defaults of the role and the database. */
  settings: Record<string, string | number>;
  onclose?: () => void;
};

/** An address in the driver's own form. */
type DriverAddress = { url?: string } & Pick<Options, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'>;

type Options = postgres.Options<{ date: postgres.PostgresType }>;

/** Dates, in place of the driver's own type of this name. */
const date = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (value: unknown) => isoText(value instanceof Date ? value : new Date(value as string)),
  parse: (text: string) => new Date(text),
};

/** Opens one connection of the driver, at its first statement. */
export function openDriver({ url, ...address }: DriverAddress, { settings, onclose }: DriverOptions): postgres.Sql {
  const options: Options = {
    ...address,
    max: 1,
    // Long-lived connections are renewed only when they break: this one would end in the middle of other work.
    max_lifetime: null,
    connect_timeout: connectSeconds,
    keep_alive: keepAliveSeconds,
    onnotice: () => {},
    connection: { ...planning, ...settings },
    types: { date },
    ...(onclose && { onclose }),
  };
  return url === undefined ? postgres(options) : postgres(url, options);
}

/**
 * The same address for the driver. TLS is always set, because otherwise the driver takes it from the variable PGSSL.
 * @throws Error for the operator if the address cannot be used
 */
export function driverAddress(address: DatabaseAddress): DriverAddress {
  if (!('url' in address)) return { ...address, ssl: false };
  const parsed = parseDatabaseUrl(address.url);
  return { url: parsed.url, ...(parsed.host && { host: parsed.host }), ssl: tlsOptions(parsed) };
}

const connectSeconds = 10;

/** With this, an idle connection notices a silent database host within about half a minute. */
const keepAliveSeconds = 15;

/**
 * Statements are prepared once and their plans reused. A plan made while its table was almost empty would read the whole table until
 * the next statistics: ten times slower within minutes.
 */
const planning = { application_name: 'holdfast', enable_seqscan: 'off', jit: 'off' };
