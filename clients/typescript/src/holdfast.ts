import type { Job } from './generated/api.ts';
import { type Api, type Connection, createConnection } from './http/create-api.ts';
import type { WebSocketConstructor } from './http/open-socket.ts';
import { type RunJobOptions, runJob } from './jobs/run-job.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';

/** The server, and the way to it. */
export type HoldfastOptions = {
  /** The address of the server. Default: the environment variable `HOLDFAST_URL`, or `http://127.0.0.1:8080`. */
  url?: string | URL | undefined;
  /** An API key, or the token of a share link. Default: the environment variable `HOLDFAST_API_KEY`. A development server needs none. */
  apiKey?: string | undefined;
  /** Used in the place of the global `fetch`, for instance to go through a proxy. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Used in the place of the global `WebSocket`. Node 20 has none: give it that of the package `ws`.
   * @example
   * import { WebSocket } from 'ws';
   * const holdfast = new Holdfast({ webSocket: WebSocket });
   */
  webSocket?: WebSocketConstructor | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
  /**
   * How long calls and streams wait for a server that stays away, such as one that restarts. Default: 60 s. A server that has never answered is
   * waited for three seconds at most.
   */
  reconnectSeconds?: number | undefined;
};

/**
 * A client of one Holdfast server.
 * @example
 * const holdfast = new Holdfast({ url: 'http://127.0.0.1:8080' });
 * const session = await holdfast.sessions.create();
 * console.log((await session.run('6 * 7')).text); // 42
 */
export class Holdfast {
  readonly sessions: Sessions;
  /** Every operation of the API with generated types, for what has no method of its own: `holdfast.api.GET('/v1/audit')`. */
  readonly api: Api;
  readonly #connection: Connection;

  /** @throws TypeError if the address is not one of HTTP, or the key is none */
  constructor(options: HoldfastOptions = {}) {
    const { reconnectSeconds = 60 } = options;
    const url = String(options.url ?? environment('HOLDFAST_URL') ?? 'http://127.0.0.1:8080');
    refuseAddress(url);
    const connection = createConnection({
      url,
      apiKey: keyOf(options.apiKey ?? environment('HOLDFAST_API_KEY')),
      fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
      headers: options.headers,
      webSocket: options.webSocket,
      limits: { reconnectMs: reconnectSeconds * 1000, connectMs: Math.min(3000, reconnectSeconds * 1000) },
    });
    this.api = connection.api;
    this.sessions = createSessions(connection);
    this.#connection = connection;
  }

  /**
   * Runs a program once in a fresh sandbox, which ends with it. The files that it wrote stay readable.
   * @example
   * const { stdout, exitCode } = await holdfast.runJob({ language: 'python', code: 'print(6 * 7)' });
   */
  async runJob(options: RunJobOptions): Promise<Job> {
    return await runJob(this.#connection, options);
  }
}

/** The messages do not show the address, which may have a password. */
function refuseAddress(url: string): void {
  if (!/^https?:\/\//i.test(url)) throw new TypeError('the url must begin with http:// or https://');
  if (!URL.canParse(url)) throw new TypeError('the url is not an address');
  const { username, password } = new URL(url);
  if (username || password) throw new TypeError('the url must have no name and no password: give the key as `apiKey`');
}

/** A key from a file may end with a line break. The message does not show the key. */
function keyOf(text: string | undefined): string | undefined {
  const key = text?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('the API key has a character that no key has, such as a space');
  return key;
}

/** Browsers have no environment, and Deno may not give it. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
