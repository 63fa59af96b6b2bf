import type { McpSession } from '../../../mcp-sessions/open-mcp-session.ts';
import type { WholeReads } from '../../../reading/whole-reads.ts';
import type { Caller } from '../../../sessions/caller.ts';
import type { Verbs } from '../../v1/verbs.ts';

/** Sends a progress notification. `progress` only rises. */
export type Notify = (progress: number, message: string) => void;

/** Asks the person at the client for the input that code waits for. */
export type Ask = (question: { sessionId: string; seq: number; prompt: string }) => void;

/** The request of a client, and what it takes to serve it. */
export type Call = {
  verbs: Verbs;
  caller: Caller;
  mcp: McpSession;
  /** The key that makes a repeat of the request the same step. */
  key: string;
  /** The session in which the call works, once that is known; the tools may work in another one by the time a client comes back. */
  place: { sessionId: string | null };
  wholeReads: WholeReads;
  /** Aborts when the client has left. The code that it started runs on. */
  left: AbortSignal;
  /** Aborts when the client no longer wants the answer. */
  cancelled: AbortSignal;
  /** Learns now of a cancellation through another replica. */
  lookForCancel(): Promise<void>;
  /** Null if the client has not asked for progress. */
  notify: Notify | null;
  /** Null if the client does not put questions to a person. */
  ask: Ask | null;
};
