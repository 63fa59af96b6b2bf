import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { createOpenRequests, deferred } from './open-requests.ts';

type Proxy = {
  /** The address of the server's `/mcp`. */
  endpoint: URL;
  apiKey: string | undefined;
  /** Writes a line for a person who reads along. */
  note(text: string): void;
  /** Ends the proxy. So does the end of stdin. */
  signal: AbortSignal;
};

/** A client that is cut off comes back for so long, in milliseconds and times. */
const reconnectionOptions = {
  initialReconnectionDelay: 200,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 60,
};

/** A client that has closed stdin still gets the answers that come within this time. */
const lastAnswersMs = 30_000;
/** The server ends the session by itself if it does not hear of the end of its client. */
const goodbyeMs = 3000;

/** Passes the messages of an MCP client on stdin to a server, and its messages to stdout, until the client ends. */
export async function proxyMcp({ endpoint, apiKey, note, signal }: Proxy): Promise<void> {
  const stdio = new StdioServerTransport();
  let first: JSONRPCMessage | null = null;
  let reopening: Promise<void> | null = null;
  const open = createOpenRequests();
  const answer = (message: JSONRPCMessage) => stdio.send(message).then(() => open.answered(message));
  let server = await openServer((message) => void answer(message));

  async function openServer(onMessage: (message: JSONRPCMessage) => void) {
    const transport = new StreamableHTTPClientTransport(endpoint, {
      requestInit: { headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {} },
      reconnectionOptions,
    });
    transport.onmessage = (message) => {
      const version = versionIn(message);
      if (version !== undefined) transport.setProtocolVersion(version);
      onMessage(message);
    };
    transport.onerror = ({ message }) => note(message);
    await transport.start();
    return transport;
  }

  /** The server forgets clients that are silent for long. The client cannot begin anew in the middle of its work, but this can. */
  async function reopen(greeting: JSONRPCMessage): Promise<void> {
    const greeted = deferred();
    const opened = await openServer((message) => {
      if (versionIn(message) === undefined) void answer(message);
      greeted.resolve();
    });
    await opened.send(greeting);
    await greeted.promise;
    await opened.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await server.close();
    server = opened;
  }

  async function pass(message: JSONRPCMessage): Promise<void> {
    const isGreeting = 'method' in message && message.method === 'initialize';
    if (isGreeting) first = message;
    // The session has no id before the answer to the greeting, and a script sends all its lines at once.
    else if (first) await open.ended(first);
    try {
      await server.send(message);
    } catch (error) {
      if (!isRequest(message)) return;
      await answer(failed(message, await explain(error)));
    }
  }

  async function explain(error: unknown): Promise<string> {
    if (!(error instanceof StreamableHTTPError)) return unreachable(endpoint, error);
    if (error.code !== 404 || !first) return error.message;
    try {
      reopening ??= reopen(first).finally(() => {
        reopening = null;
      });
      await reopening;
    } catch (again) {
      return again instanceof StreamableHTTPError ? again.message : unreachable(endpoint, again);
    }
    const isShared = endpoint.searchParams.has('session');
    return isShared ? `${forgotten}: call again.` : `${forgotten}, and with it its variables and files: call again.`;
  }

  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve());
    stdio.onclose = resolve;
  });
  stdio.onerror = ({ message }) => note(message);
  stdio.onmessage = (message) => {
    open.add(message);
    void pass(message).catch((error) => note(String(error)));
  };
  await stdio.start();
  await ended;
  await atMost(lastAnswersMs, open.allAnswered(), signal);
  await atMost(
    goodbyeMs,
    server.terminateSession().catch(() => {}),
  );
  await server.close();
  process.stdin.destroy();
}

/** Waits for so long at most, or until the signal aborts. */
async function atMost(ms: number, work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  await Promise.race([work, delay(ms, undefined, { signal: stop }).catch(() => {})]);
  over.abort();
}

const forgotten = 'Nothing was done, because the connection had ended';

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

/** The version that the answer to `initialize` agrees on. */
function versionIn(message: JSONRPCMessage): string | undefined {
  const version = 'result' in message ? message.result.protocolVersion : undefined;
  return typeof version === 'string' ? version : undefined;
}

const failed = ({ id }: JSONRPCRequest, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message },
});

function unreachable({ origin }: URL, error: unknown): string {
  const { message, cause } = error as Error;
  return `${origin} cannot be reached: ${cause instanceof Error ? cause.message || cause.name : message}`;
}
