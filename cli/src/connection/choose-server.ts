import { Failure } from '../failures/failure.ts';
import type { StoredServer, StoredServers } from './stored-servers.ts';

export type ServerOptions = { url?: string | undefined; apiKey?: string | undefined; server?: string | undefined };

/** `source` says which setting named the server. */
export type ChosenServer = StoredServer & { source: string };

/**
 * The server of a command: options come before the environment, and that before the stored servers. A stored key goes to its own server alone.
 * @throws Failure if no server is stored under the name
 */
export function chooseServer(
  options: ServerOptions,
  environment: ServerOptions,
  { current, servers }: StoredServers,
): ChosenServer {
  const apiKey = options.apiKey ?? environment.apiKey;
  const stored = (name: string, source: string): ChosenServer => {
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (!server) throw new Failure(unknownServer(name, Object.keys(servers)), { exitCode: 2 });
    return { ...server, apiKey: options.apiKey ?? server.apiKey ?? environment.apiKey, source };
  };
  if (options.url) return { url: options.url, apiKey, source: '--url' };
  if (options.server) return stored(options.server, `--server ${options.server}`);
  if (environment.url) return { url: environment.url, apiKey, source: 'HOLDFAST_URL' };
  if (environment.server) return stored(environment.server, 'HOLDFAST_SERVER');
  if (current) return stored(current, `the stored server ${current}`);
  return { url: 'http://127.0.0.1:8080', apiKey, source: 'the default' };
}

const unknownServer = (name: string, known: string[]) =>
  known.length > 0
    ? `no server is stored as ${JSON.stringify(name)}; there are ${known.join(', ')}`
    : `no server is stored as ${JSON.stringify(name)}; \`holdfast servers add NAME URL\` stores one`;
