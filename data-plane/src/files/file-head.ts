import type { IncomingHttpHeaders } from 'node:http';
import { AgentError } from '../agent/agent-error.ts';

/** Status and headers of the answer to a read, with the names in lower case. */
export type FileHead = { status: 200 | 206 | 304; headers: Record<string, string> };

const length = String.raw`\d{1,15}`;

/** The headers of an agent's answer that are passed on, with the form that each must have (RFC 9110). */
const forms: Record<string, RegExp> = {
  etag: /^"[0-9a-f]{64}"$/,
  'accept-ranges': /^bytes$/,
  'content-length': new RegExp(`^${length}$`),
  'content-range': new RegExp(`^bytes ${length}-${length}/${length}$`),
  'last-modified': /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
};

/**
 * Checks status and headers of an agent's answer, and drops every header that does not belong to a file. Pure.
 * @throws AgentError `invalid` for another status, or a header that does not have its form
 */
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

const unexpected = (part: string) => new AgentError('invalid', `the agent's answer has an unexpected value in ${part}`);
