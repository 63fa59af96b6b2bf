import type { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';

/** The answer to a request that has failed. */
export const failed = ({ id }: Pick<JSONRPCRequest, 'id'>, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message },
});

/** The statuses of requests that a model can make in another way, such as one that is too large. */
const forModels: ReadonlySet<number | undefined> = new Set([400, 413, 415, 422, 429]);

/** The answer to a request that the server has refused: for a tool a result that the model reads, as the specification has it. */
export function refused(request: JSONRPCRequest, error: StreamableHTTPError): JSONRPCMessage {
  const text = refusalText(error);
  if (request.method !== 'tools/call' || !forModels.has(error.code)) return failed(request, text);
  return { jsonrpc: '2.0', id: request.id, result: { content: [{ type: 'text', text }], isError: true } };
}

/** The sentence of a refusal. The SDK's error has the answer of the server behind words of its own. Pure. */
export function refusalText({ message }: Pick<StreamableHTTPError, 'message'>): string {
  try {
    const { title, detail } = JSON.parse(message.slice(message.indexOf('{'))) as { title?: string; detail?: string };
    if (title) return detail ? `${title}: ${detail}` : title;
  } catch {}
  return message;
}

export function unreachable({ origin }: URL, error: unknown): string {
  const { message, cause } = error as Error;
  return `${origin} cannot be reached: ${cause instanceof Error ? cause.message || cause.name : message}`;
}
