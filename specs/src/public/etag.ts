/**
 * Whether a list of ETags (RFC 9110, 8.8.3), as `If-Match` and `If-None-Match` have it, names this one; `*` means any. A weak one of the
 * list, `W/"…"`, counts only where `weak` comparison is asked for. `etag` is null where there is nothing. Pure.
 */
export function matchesEtag(list: string, { etag, weak }: { etag: string | null; weak: boolean }): boolean {
  if (etag === null) return false;
  if (list.trim() === '*') return true;
  return list.split(',').some((one) => (weak ? one.trim().replace(/^W\//, '') : one.trim()) === etag);
}
