/** A side of a copy: a path of this machine, `-` for its stdin or stdout, or a path in a session. */
export type CopyPlace = { session?: string; path: string };

/** `SESSION:PATH` is in a session. A path of this machine with a colon begins with `./` or `/`; one letter before it is a drive. */
export function parseCopyPlace(value: string): CopyPlace {
  const [, session, path] = /^([^/\\:.][^/\\:]+):(.*)$/s.exec(value) ?? [];
  return session === undefined || path === undefined ? { path: value } : { session, path };
}
