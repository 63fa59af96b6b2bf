import { Problem, workspacePath } from '@holdfast/specs/public';
import type { EdgeContext } from '../edge/edge.ts';

/** `/v1/sessions/{sessionId}/files/`, `/v1/artifacts/{sessionId}/{jobId}/`: what comes before a path has so many parts. */
const partsBefore = 5;

/**
 * The path within the workspace that the rest of a request's URL is. It is read from the URL as it came: what parses URLs resolves dots
 * and unfolds escapes on its own terms.
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

/** As `filePathOf`; null where it is no such path. Each part is percent-decoded once, as UTF-8, and has no slash in it. Pure. */
export function filePathIn(target: string): string | null {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? '';
  const [raw = ''] = target.slice(origin.length).split(/[?#]/);
  const names = raw.split('/').slice(partsBefore).map(decoded);
  return names.includes(null) ? null : workspacePath(names.join('/'));
}

/** Null where it is no percent-encoded UTF-8, where it is or hides a step through the tree, or a slash. */
function decoded(part: string): string | null {
  if (/[^\x21-\x7e]/.test(part)) return null;
  try {
    const name = decodeURIComponent(part);
    return name.includes('/') || name === '.' || name === '..' ? null : name;
  } catch {
    return null;
  }
}
