import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

/** Many times what servers take. They refuse a message that is too long for them in words for the client. */
export const lineBytesMax = 64 * 2 ** 20;

/** The message of a line, or the answer to any other line. */
export function readMessage(line: string | null): [JSONRPCMessage, null] | [null, object] {
  if (line === null) return [null, notUnderstood(null, -32_600, `a message has ${lineBytesMax} bytes at most`)];
  try {
    const given = JSON.parse(line);
    const message = JSONRPCMessageSchema.safeParse(given).data;
    return message
      ? [message, null]
      : [null, notUnderstood(given?.id, -32_600, 'this is not a message of JSON-RPC 2.0')];
  } catch {
    return [null, notUnderstood(null, -32_700, 'a message must be JSON on one line')];
  }
}

/** The answer to a text that is not a message. */
const notUnderstood = (id: unknown, code: -32_700 | -32_600, message: string) => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: { code, message },
});
