import postgres from 'postgres';

/** The address of a Postgres: a URL, optionally with `?host=/directory` as in libpq, or a Unix socket in the directory `host`. */
export type DatabaseAddress =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

type DriverOptions = {
  /** Sent to the server at the login. They take precedence over the defaults of the role and the database. */
  settings: Record<string, string | number>;
  onclose?: () => void;
};

/** Opens one connection of the driver, at its first statement. */
export function openDriver(address: DatabaseAddress, { settings, onclose }: DriverOptions): postgres.Sql {
  const options: postgres.Options<Record<never, never>> = {
    max: 1,
    // Long-lived connections are renewed only when they break: this one would end in the middle of other work.
    max_lifetime: null,
    connect_timeout: connectSeconds,
    keep_alive: keepAliveSeconds,
    onnotice: () => {},
    connection: { ...planning, ...settings },
    ...(onclose && { onclose }),
  };
  if (!('url' in address)) return postgres({ ...address, ...options });
  const { url, host } = splitSocketHost(address.url);
  return postgres(url, host ? { ...options, host } : options);
}

const connectSeconds = 10;

/** With this, an idle connection notices a silent database host within about half a minute. */
const keepAliveSeconds = 15;

/**
 * Statements are prepared once and their plans reused. A plan made while its table was almost empty would read the whole table until
 * the next statistics: ten times slower within minutes.
 */
const planning = { application_name: 'holdfast', enable_seqscan: 'off', jit: 'off' };

/** Separates `host` from the URL: the driver would send it to the server as a setting. */
function splitSocketHost(url: string): { url: string; host: string | null } {
  const parsed = new URL(url);
  const host = parsed.searchParams.get('host');
  if (!host) return { url, host };
  parsed.searchParams.delete('host');
  return { url: parsed.href, host };
}
