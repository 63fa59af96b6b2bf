import { readdirSync, readlinkSync } from 'node:fs';
import { type AgentUnderTest, startAgent } from './start-agent.ts';

export type Query = Record<string, string>;
type Body = string | Buffer | AsyncIterable<Uint8Array>;

export type FilesClient = Awaited<ReturnType<typeof startWithFiles>>;

/** An agent with its file operations. Tests use the same files directly as well, without the agent's knowledge. */
export async function startWithFiles(env: Record<string, string> = {}, main?: string) {
  const agent: AgentUnderTest = await startAgent(env, main);

  function send(
    method: string,
    endpoint: string,
    query: Query = {},
    body?: Body,
    headers: Record<string, string> = {},
  ) {
    const url = `${agent.url}/v1/${endpoint}?${new URLSearchParams(query)}`;
    const init = { method, headers: { authorization: `Bearer ${agent.token}`, ...headers }, duplex: 'half' };
    return fetch(url, { ...init, ...(body !== undefined && { body }) } as RequestInit);
  }

  /** Status, the problem's code or null, and the body as text. */
  async function ask(
    method: string,
    endpoint: string,
    query: Query = {},
    body?: Body,
    headers?: Record<string, string>,
  ) {
    const response = await send(method, endpoint, query, body, headers);
    const text = await response.text();
    const isProblem = response.headers.get('content-type') === 'application/problem+json';
    return {
      status: response.status,
      code: isProblem && text !== '' ? (JSON.parse(text).code as string) : null,
      text,
      json: () => JSON.parse(text),
      headers: response.headers,
    };
  }

  return {
    ...agent,
    send,
    ask,
    write: (path: string, body: Body, headers?: Record<string, string>) => ask('PUT', 'files', { path }, body, headers),
    read: (path: string, headers?: Record<string, string>) => ask('GET', 'files', { path }, undefined, headers),
    json: (endpoint: string, body: object) =>
      ask('POST', endpoint, {}, JSON.stringify(body), { 'content-type': 'application/json' }),
    /** Counts the agent's open descriptors in the workspace. */
    openDescriptors: () => descriptorsBelow(agent.pid, agent.workspace),
    openDescriptorsBelow: (folder: string) => descriptorsBelow(agent.pid, folder),
  };
}

function descriptorsBelow(pid: number, folder: string): number {
  return descriptorTargets(pid).filter((target) => target.startsWith(folder)).length;
}

function descriptorTargets(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return '';
    }
  });
}
