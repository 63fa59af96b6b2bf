import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type CallToolResult, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';

/** Answers the questions of code as a person would. */
export type Answering = (message: string) => Promise<ElicitResult>;

type Connecting = {
  key?: string;
  session?: string;
  fetch?: typeof fetch;
  authProvider?: OAuthClientProvider;
  onQuestion?: Answering;
};

/** The official client at `/mcp` of a server, until it is disposed of. `call` throws if the tool reports an error. */
export async function connectMcp(url: string, { key, session, fetch, authProvider, onQuestion }: Connecting = {}) {
  const endpoint = new URL('/mcp', url);
  if (session) endpoint.searchParams.set('session', session);
  const capabilities = { ...(onQuestion && { elicitation: {} }) };
  const client = new Client({ name: 'test-client', version: '1' }, { capabilities });
  if (onQuestion) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onQuestion(params.message));
  const transport = new StreamableHTTPClientTransport(endpoint, {
    requestInit: { headers: key ? { authorization: `Bearer ${key}` } : {} },
    reconnectionOptions: {
      initialReconnectionDelay: 50,
      maxReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 200,
    },
    ...(fetch && { fetch }),
    ...(authProvider && { authProvider }),
  });
  // Its declared type is not exact about optional properties.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const tool = async (name: string, args: object = {}, options = {}) =>
    (await client.callTool({ name, arguments: { ...args } }, undefined, options)) as CallToolResult;
  return {
    client,
    transport,
    tool,
    async call(name: string, args: object = {}, options = {}): Promise<Record<string, unknown>> {
      const result = await tool(name, args, options);
      if (result.isError) throw new Error(textOf(result));
      return result.structuredContent ?? {};
    },
    async [Symbol.asyncDispose]() {
      await transport.terminateSession();
      await client.close();
    },
  };
}

export const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

export const run = (code: string, more: object = {}) => ['run_code', { code, ...more }] as const;
