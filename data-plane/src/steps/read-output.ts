import type { AgentClient, AgentDownload } from '../agent/agent-client.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';

type ReadDependencies = {
  agents: Pick<AgentClient, 'download'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
  hint(sessionId: string): void;
};

type ReadInput = Pick<AgentDownload, 'onStart' | 'onChunk' | 'signal'> & {
  caller: Caller;
  sessionId: string;
  stepId: string;
  stream: 'stdout' | 'stderr';
};

/** All that a step wrote to a stream, as far as its sandbox keeps it. Throws Problem 404 where it keeps nothing, 410, 503. */
export async function readOutput(deps: ReadDependencies, input: ReadInput): Promise<void> {
  const { caller, sessionId, stepId, stream, ...sink } = input;
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  try {
    await deps.agents.download(route, { path: `/v1/steps/${stepId}/output/${stream}`, ...sink });
  } catch (error) {
    if (sink.signal.aborted) throw error;
    await deps.routes.refresh(key);
    throw agentProblem(deps, { sessionId, error });
  }
}
