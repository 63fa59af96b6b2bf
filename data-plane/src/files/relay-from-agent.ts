import type { AgentClient, AgentRelay } from '../agent/agent-client.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { type FileHead, fileHead } from './file-head.ts';

export type RelayDependencies = ExplainDependencies & {
  agents: Pick<AgentClient, 'relay'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
};

/** Receives an answer, until `signal` says that the client has left. */
export type AnswerSink = Pick<AgentRelay, 'onChunk' | 'signal'> & { onHead(head: FileHead): void };

type Relay = AnswerSink & {
  caller: Caller;
  sessionId: string;
  /** The path of the request to the agent. */
  path: string;
  headers?: Record<string, string>;
};

/**
 * Passes on an answer of a session's agent, with only those headers that belong to a file.
 * @throws Problem 403, 404, 409, 410, 412, 416, 502, 503; the reason of `signal`
 */
export async function relayFromAgent(
  deps: RelayDependencies,
  { caller, sessionId, path, headers = {}, onHead, onChunk, signal }: Relay,
): Promise<void> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const onHeaders: AgentRelay['onHeaders'] = (given, status) => onHead(fileHead(status, given));
  try {
    await deps.agents.relay(route, { path, headers, onHeaders, onChunk, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw await explainFailedCall(deps, { key, error });
  }
}
