import type { AgentClient, AgentDownload } from '../agent/agent-client.ts';
import { explainFailedCall } from '../sessions/agent-problem.ts';
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

/**
 * Reads the complete output of a step to one stream from its sandbox, as far as the sandbox still has it.
 * @throws Problem 404 if the sandbox has none of it, 410, 502, 503
 */
export async function readOutput(deps: ReadDependencies, input: ReadInput): Promise<void> {
  const { caller, sessionId, stepId, stream, ...sink } = input;
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  try {
    await deps.agents.download(route, { path: `/v1/steps/${stepId}/output/${stream}`, ...sink });
  } catch (error) {
    if (sink.signal.aborted) throw error;
    throw await explainFailedCall(deps, { key, error });
  }
}
