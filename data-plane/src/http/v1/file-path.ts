import { isOutside, Problem, sandboxPath } from '@holdfast/specs/public';
import type { EdgeContext } from '../edge/edge.ts';

/** The parts before the path in `/v1/sessions/{sessionId}/files/` and `/v1/artifacts/{sessionId}/{jobId}/`. */
const partsBefore = 5;

/**
 * The path within the workspace at the end of a request's URL. It is read from the URL as it was sent, because URL parsers resolve dots
 * and decode escapes in their own ways.
 *
 * @throws Problem `invalid-request`
 */
export function filePathOf(c: EdgeContext): string {
  const path = filePathIn(targetOf(c));
  if (path && !isOutside(path)) return path;
  throw notAPath(path === '' ? 'a file must be named' : 'must be a path within the workspace');
}

/** The same for a path that may also be outside the workspace. @throws Problem `invalid-request` */
export function sandboxPathOf(c: EdgeContext): string {
  const path = filePathIn(targetOf(c));
  if (path) return path;
  throw notAPath(path === '' ? 'a file must be named' : 'must be a path within the workspace, or an absolute one');
}

const targetOf = (c: EdgeContext): string => c.env?.incoming?.url ?? c.req.url.replace(/^[a-z]+:\/\/[^/]*/i, '');

const notAPath = (detail: string) =>
  new Problem('invalid-request', { detail, errors: [{ pointer: 'path/path', detail }] });

/** An absolute path of which the slashes are encoded, too: proxies join slashes that follow each other. */
const encodedRoot = /^%2f/i;

/**
 * The path of a target in the form of `sandboxPath`, or null if it is none. Each part is percent-decoded once, as UTF-8. An absolute path
 * begins with a further slash, `files//tmp/x`, or is encoded as one part, `files/%2Ftmp%2Fx`. Pure.
 */
export function filePathIn(target: string): string | null {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? '';
  const [raw = ''] = target.slice(origin.length).split(/[?#]/);
  const parts = raw.split('/').slice(partsBefore);
  if (encodedRoot.test(parts[0] ?? '')) return sandboxPath(decoded(parts.join('/')) ?? '..');
  const names = parts.map(decodedName);
  return names.includes(null) ? null : sandboxPath(names.join('/'));
}

/** The name, or null if it is not percent-encoded UTF-8, has a slash in it, or is `.` or `..`. */
function decodedName(part: string): string | null {
  const name = decoded(part);
  return name === null || name.includes('/') || name === '.' || name === '..' ? null : name;
}

/** The text, or null if it is not percent-encoded UTF-8. */
function decoded(text: string): string | null {
  if (/[^\x21-\x7e]/.test(text)) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
