import type { Session } from '@holdfast/specs/public';
import type { McpSession } from './open-mcp-session.ts';

/** The metadata of the sessions that an MCP session has created. */
const owner = 'mcp';
const keyPrefix = 'mcp:';

export const ownMetadata = ({ id }: Pick<McpSession, 'id'>): Record<string, string> => ({ [owner]: id });

/** The client key of the session that an MCP session has for itself. A name that people give cannot be one. */
export const ownKey = ({ id }: Pick<McpSession, 'id'>): string => `${keyPrefix}${id}`;

/** Whether a client key can be the name of a session that several clients share. Pure. */
export const isSharedKey = (clientKey: string | null): clientKey is string =>
  clientKey !== null && !clientKey.startsWith(keyPrefix);

type Owned = Pick<Session, 'metadata' | 'clientKey'>;

/** Whether an MCP session has created the session. Pure. */
export const isOwn = (mcp: Pick<McpSession, 'id'>, { metadata }: Owned): boolean => metadata[owner] === mcp.id;

/** Whether an MCP session may work in the session: not in what another one has for itself. Pure. */
export const mayUse = (mcp: Pick<McpSession, 'id'>, session: Owned): boolean =>
  isOwn(mcp, session) || isSharedKey(session.clientKey) || session.metadata[owner] === undefined;
