import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import type { Holdfast } from './start-holdfast.ts';

type Body = string | Uint8Array | AsyncIterable<Uint8Array>;
type Sent = { query?: Record<string, string>; headers?: Record<string, string>; body?: Body };

export type FilesClient = ReturnType<typeof filesClient>;

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A path in a URL, each part encoded. */
export const inUrl = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The directory in which the process runtime has the files of a session's first sandbox. */
export const workspaceOf = (dataDir: string, sessionId: string, epoch = 1): string =>
  realpathSync(join(dataDir, 'sandboxes', sandboxName(sessionId, epoch), 'workspace'));

type Reached = Pick<Holdfast, 'url'> & { headers?: Record<string, string> };

/** The file routes of one session as a client uses them. `headers` are sent with each request, such as a key. */
export function filesClient({ url, headers: own }: Reached, sessionId: string) {
  const session = `${url}/v1/sessions/${sessionId}`;

  function send(method: string, rest: string, { query = {}, headers = {}, body }: Sent = {}): Promise<Response> {
    const init = { method, headers: { ...own, ...headers }, duplex: 'half', ...(body !== undefined && { body }) };
    return fetch(`${session}/${rest}${search(query)}`, init as RequestInit);
  }

  /** Status, the problem's code or null, and the body as text. */
  async function ask(method: string, rest: string, sent?: Sent) {
    const response = await send(method, rest, sent);
    const text = await response.text();
    const isProblem = response.headers.get('content-type') === 'application/problem+json' && text !== '';
    const code: string | null = isProblem ? JSON.parse(text).code : null;
    return { status: response.status, code, text, json: () => JSON.parse(text), headers: response.headers };
  }

  const postJson = (rest: string, body: object) =>
    ask('POST', rest, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  return {
    sessionId,
    send,
    ask,
    put: (path: string, body: Body, headers?: Record<string, string>) =>
      ask('PUT', `files/${inUrl(path)}`, { body, ...(headers && { headers }) }),
    get: (path: string, headers?: Record<string, string>) =>
      ask('GET', `files/${inUrl(path)}`, { ...(headers && { headers }) }),
    head: (path: string) => ask('HEAD', `files/${inUrl(path)}`),
    remove: (path: string, query: Record<string, string> = {}) => ask('DELETE', `files/${inUrl(path)}`, { query }),
    list: (query: Record<string, string> = {}) => ask('GET', 'files', { query }),
    move: (from: string, to: string, overwrite = false) => postJson('move', { from, to, overwrite }),
    makeDirectory: (path: string) => postJson('directories', { path }),
  };
}

const search = (query: Record<string, string>) =>
  Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '';
