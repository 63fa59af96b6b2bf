import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';

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

/** Passes the messages of an MCP client on stdin to a server, and its messages to stdout, until the client ends. */
export async function proxyMcp({ endpoint, apiKey, note, signal }: Proxy): Promise<void> {
  const stdio = new StdioServerTransport();
  let first: JSONRPCMessage | null = null;
  let reopening: Promise<void> | null = null;
  let server = await openServer((message) => void stdio.send(message));

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
    const greeted = Promise.withResolvers<void>();
    const opened = await openServer((message) => {
      if (versionIn(message) === undefined) void stdio.send(message);
      greeted.resolve();
    });
    await opened.send(greeting);
    await greeted.promise;
    await opened.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await server.close();
    server = opened;
  }

  async function pass(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && message.method === 'initialize') first = message;
    try {
      await server.send(message);
    } catch (error) {
      if (!isRequest(message)) return;
      await stdio.send(failed(message, await explain(error)));
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
  stdio.onmessage = (message) => void pass(message).catch((error) => note(String(error)));
  await stdio.start();
  await ended;
  await server.terminateSession().catch(() => {});
  await server.close();
  process.stdin.destroy();
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
