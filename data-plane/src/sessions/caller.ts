import type { Actor, Scope, ShareAccess } from '@holdfast/specs/public';

/**
 * The client that makes a request. `keyId` is null if development mode lets a request in without a key; a share link and a token of an issuer
 * have an id of their own in its place.
 */
export type Caller = {
  tenant: string;
  scopes: ReadonlySet<Scope>;
  keyId: string | null;
  /** The actor for whom the key stands, whatever a request says. */
  actor?: Actor | null;
  actorName?: string | null;
  /** The end of the share link or token with which the request came, of `performance.now()`. An API key has none. */
  endsAtMs?: number;
  /** The share link with which the request came, and nothing else. */
  share?: { sessionId: string; access: ShareAccess };
};

/** The actor that a request names. */
type Asked<Named extends Actor | undefined> = { actor?: Named; actorName?: string | undefined };

/** The actor of what a request asks for. A guest cannot take another name than the link has. Pure. */
export const actorOf = <Named extends Actor | undefined>(
  caller: Caller,
  { actor, actorName }: Asked<Named>,
): { actor: Actor | Named; actorName: string | null } => ({
  actor: caller.actor ?? (actor as Named),
  actorName: caller.actorName ?? (caller.share ? null : (actorName ?? null)),
});
