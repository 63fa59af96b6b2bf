import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Caller } from '../../sessions/caller.ts';
import type { Upgrade } from './upgrade-request.ts';

/** Dependencies and limits of every operation. Times are in milliseconds, sizes in bytes. */
export type Edge = {
  /** Finds the caller by the API key that was sent, null if none was. */
  authenticate(key: string | null): Caller | Promise<Caller>;
  /** Adds a request under the API key it came with; `end` is called if that key is revoked. Returns a function for the request's own end. */
  addOpenRequest(keyId: string, end: () => void): () => void;
  log: Logger;
  metrics: Pick<Metrics, 'request' | 'exposition'>;
  agentAuthBypassed: boolean;
  /** The issuer of tokens, and the origin under which clients know this server; null: as a request names it. Null without an issuer. */
  tokenIssuer: { issuer: string; publicUrl: string | null } | null;
  /** The origins of pages that may read answers. */
  corsOrigins: ReadonlySet<string>;
  /** Whether `/metrics` is on the public port, too. */
  servesMetrics: boolean;
  bodyBytesMax: number;
  /** How long a body that is read as a whole may take. */
  bodyMs: number;
  /** How long a client may pause while it sends a streamed body. */
  stalledWriterMs: number;
  /** How often a silent event stream gets a heartbeat. */
  heartbeatMs: number;
};

/** The wide event of a request: operations add fields, and it is logged once. */
export type RequestEvent = Record<string, string | number | boolean | undefined>;

/** `incoming` and `outgoing` are absent if the app is called without a server, and of a request that asks for another protocol, which has `upgrade`. */
export type EdgeEnv = {
  Bindings: Partial<HttpBindings> & { upgrade?: Upgrade };
  /** `challenge` is for the header WWW-Authenticate of a refusal. */
  Variables: { requestId: string; caller: Caller; event: RequestEvent; challenge?: string };
};
export type EdgeContext = Context<EdgeEnv>;
export type EdgeApp = Hono<EdgeEnv>;

/** Sets a header of the answer, whichever way it is written. */
export function setAnswerHeader(c: EdgeContext, name: string, value: string): void {
  if (c.env?.outgoing) c.env.outgoing.setHeader(name, value);
  else c.header(name, value);
}
