import { Problem, workspacePath } from '@holdfast/specs/public';
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
  const target = c.env?.incoming?.url ?? c.req.url.replace(/^[a-z]+:\/\/[^/]*/i, '');
  const path = filePathIn(target);
  if (path) return path;
  const detail = path === '' ? 'a file must be named' : 'must be a path within the workspace';
  throw new Problem('invalid-request', { detail, errors: [{ pointer: 'path/path', detail }] });
}

/** The path of a target, or null if it is not a path within the workspace. Each part is percent-decoded once, as UTF-8. Pure. */
export function filePathIn(target: string): string | null {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? '';
  const [raw = ''] = target.slice(origin.length).split(/[?#]/);
  const names = raw.split('/').slice(partsBefore).map(decoded);
  return names.includes(null) ? null : workspacePath(names.join('/'));
}

/** The name, or null if it is not percent-encoded UTF-8, has a slash in it, or is `.` or `..`. */
function decoded(part: string): string | null {
  if (/[^\x21-\x7e]/.test(part)) return null;
  try {
    const name = decodeURIComponent(part);
    return name.includes('/') || name === '.' || name === '..' ? null : name;
  } catch {
    return null;
  }
}
