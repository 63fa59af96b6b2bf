/**
 * Whether the list of ETags in an `If-Match` or `If-None-Match` header (RFC 9110, 8.8.3) contains this one; `*` matches any. A weak ETag
 * in the list, `W/"…"`, matches only in a `weak` comparison. `etag` is null if the file does not exist. Pure.
 */
export function matchesEtag(list: string, { etag, weak }: { etag: string | null; weak: boolean }): boolean {
  if (etag === null) return false;
  if (list.trim() === '*') return true;
  return list.split(',').some((one) => (weak ? one.trim().replace(/^W\//, '') : one.trim()) === etag);
}
