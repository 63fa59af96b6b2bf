import { once } from 'node:events';
import { expect } from 'vitest';
import { upgrade, visit } from '../data-plane/test/ports/visit.ts';
import { processClient } from '../data-plane/test/processes/process-client.ts';
import { eventually } from '../data-plane/test/support/eventually.ts';
import type { client } from '../data-plane/test/support/start-holdfast.ts';
import type { OpenedPort } from '../specs/src/public/index.ts';

type Holdfast = { url: string } & Pick<ReturnType<typeof client>, 'request' | 'createSession'>;

/** Answers the address and the key that it was asked with, and gives back the bytes of a WebSocket. */
const server = `
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.headers.get('Upgrade'):
            self.wfile.write(b'HTTP/1.1 101 Fine\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
            while data := self.connection.recv(4096):
                self.wfile.write(data)
            self.close_connection = True
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f'{self.path} {self.headers.get("X-API-Key")} {self.headers.get("Cookie")}'.encode())
    def log_message(self, *rest): pass
http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Page).serve_forever()
`;

/** Expects a server on the loopback of a sandbox to be reached through its port alone, by HTTP and by WebSockets, until the port is closed. */
export async function expectPorts(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ files: { 'server.py': server }, network: 'none' });
  const path = `/v1/sessions/${id}/ports`;
  const open = async (body: object): Promise<OpenedPort> => {
    const answer = await holdfast.request('POST', path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  const early = await holdfast.request('POST', path, { port: 8000, waitSeconds: 0 });
  expect(early).toMatchObject({ status: 502, body: { code: 'port-closed' } });
  await processClient(holdfast, id).start({ command: ['python3', 'server.py'] });

  const link = await open({ port: 8000, access: 'link', waitSeconds: 30 });
  const { host } = new URL(link.url);
  const moved = await visit({ at: holdfast.url, host, path: `/a?holdfast_token=${link.token}` });
  expect(moved.status).toBe(303);
  const Cookie = moved.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const asked = { at: holdfast.url, host, path: '/a', headers: { Cookie } };
  expect((await visit(asked)).text).toBe('/a None None');
  const { status, socket } = await upgrade(asked);
  expect(status).toBe(101);
  let echo = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      echo += chunk;
    });
  socket.resume().write('to the pod and back');
  await eventually(() => expect(echo).toBe('to the pod and back'));

  // The session-agent answers on a port of the sandbox, too.
  const agents = await open({ port: 8700, access: 'public' });
  const refused = await visit({ ...asked, host: new URL(agents.url).host });
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([502, 'port-closed']);

  const cut = once(socket, 'close');
  expect((await holdfast.request('DELETE', `${path}/${link.id}`)).status).toBe(204);
  await cut;
  await eventually(async () => expect((await visit(asked)).status).toBe(404), 10_000);

  const { url } = await open({ port: 8000, access: 'key' });
  expect(new URL(url).host).toBe(host);
  // Without credentials, also on a deployment that asks for no key.
  const foreign = { Origin: 'https://elsewhere.example' };
  expect((await visit({ ...asked, headers: foreign })).status).toBe(401);
  await open({ port: 8000, access: 'public' });
  expect((await visit({ ...asked, headers: foreign })).status).toBe(200);
  expect((await holdfast.request('POST', `/v1/sessions/${id}/pause`, { force: true })).status).toBe(200);
  await eventually(async () => expect((await visit(asked)).status).toBe(409), 10_000);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}
