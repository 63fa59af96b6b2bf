import type { Verbs } from '../http/v1/verbs.ts';
import { cancelCall, listCancelledCalls } from '../mcp-sessions/cancel-call.ts';
import { chooseSession } from '../mcp-sessions/choose-session.ts';
import { closeMcpSession } from '../mcp-sessions/close-mcp-session.ts';
import { openMcpSession } from '../mcp-sessions/open-mcp-session.ts';
import { useMcpSession } from '../mcp-sessions/use-mcp-session.ts';
import type { Core } from './compose-core.ts';

/** The verbs of the sessions of MCP clients. */
export const composeMcp = (core: Core) =>
  ({
    openMcpSession: (input) => openMcpSession(core, input),
    useMcpSession: (input) => useMcpSession(core, input),
    chooseSession: (input) => chooseSession(core, input),
    cancelCall: (input) => cancelCall(core, input),
    listCancelledCalls: (input) => listCancelledCalls(core, input),
    closeMcpSession: (input) => closeMcpSession(core, input),
  }) satisfies Partial<Verbs>;
