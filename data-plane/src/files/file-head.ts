import type { IncomingHttpHeaders } from 'node:http';
import { AgentError } from '../agent/agent-error.ts';

/** How the answer to a read begins, `headers` by their names in lower case. */
export type FileHead = { status: 200 | 206 | 304; headers: Record<string, string> };

const length = String.raw`\d{1,15}`;

/** What is passed on of an agent's answer, and its form (RFC 9110). */
const forms: Record<string, RegExp> = {
  etag: /^"[0-9a-f]{64}"$/,
  'accept-ranges': /^bytes$/,
  'content-length': new RegExp(`^${length}$`),
  'content-range': new RegExp(`^bytes ${length}-${length}/${length}$`),
  'last-modified': /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
};

/** What an agent may say of a file before its bytes. Pure. Throws AgentError where it says anything else. */
export function fileHead(status: number, given: IncomingHttpHeaders): FileHead {
  if (status !== 200 && status !== 206 && status !== 304) throw unexpected(`the status ${status}`);
  const headers: Record<string, string> = {};
  for (const [name, form] of Object.entries(forms)) {
    const value = given[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || !form.test(value)) throw unexpected(`the header ${name}`);
    headers[name] = value;
  }
  return { status, headers };
}

const unexpected = (what: string) => new AgentError('invalid', `${what} is not of its form`);
