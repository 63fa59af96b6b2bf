const accept = 'application/json, text/event-stream';

type Sent = { id?: number; method: string; params?: object };

/** A client of one MCP session that says itself to which replica each message goes. */
export async function openRaw(url: string, capabilities: object = {}) {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept };
  const post = (to: string, body: object) =>
    fetch(`${to}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const opened = await post(url, { id: 0, method: 'initialize', params });
  await opened.text();
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';

  return {
    send: (to: string, message: Sent | { id: string; result: object }) => post(to, message),
    cancel: (to: string, requestId: number) =>
      post(to, { method: 'notifications/cancelled', params: { requestId } }).then(({ status }) => status),
    async call(to: string, id: number, name: string, args: object = {}): Promise<string> {
      return await (await post(to, { id, method: 'tools/call', params: { name, arguments: args } })).text();
    },
    async [Symbol.asyncDispose]() {
      await fetch(`${url}/mcp`, { method: 'DELETE', headers });
    },
  };
}
