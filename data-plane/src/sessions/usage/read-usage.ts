import { type SandboxUsage, type SessionUsage, sandboxUsageSchema } from '@holdfast/specs/public';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { Database } from '../../registry/connect.ts';
import { findKeptBytes } from '../../registry/sessions/find-kept-bytes.ts';
import type { Caller } from '../caller.ts';
import { existingSession } from '../existing-session.ts';
import type { Routes } from '../sandbox-routes.ts';
import { hasSandbox } from '../status.ts';

type UsageDependencies = { db: Database; routes: Pick<Routes, 'find'>; agents: Pick<AgentClient, 'call'> };

/**
 * Reads the use of a session so far, and that of its sandbox now.
 * @throws Problem 404, 410 (deleted session)
 */
export async function readUsage(
  deps: UsageDependencies,
  { caller, sessionId }: { caller: Caller; sessionId: string },
): Promise<SessionUsage> {
  const session = await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const { cpuSeconds, memoryBytesMax, historyBytes } = session;
  return {
    cpuSeconds: Math.round(cpuSeconds * 1e6) / 1e6,
    memoryBytesMax,
    historyBytes,
    keptBytes: await findKeptBytes(deps.db, { sessionId }),
    sandbox: hasSandbox(session.status) ? await usageOfSandbox(deps, sessionId) : null,
  };
}

const answerMs = 2000;

/** Null if the sandbox does not answer, or is of an earlier version. */
async function usageOfSandbox({ routes, agents }: UsageDependencies, sessionId: string): Promise<SandboxUsage | null> {
  const route = await routes.find(sessionId);
  if (!route) return null;
  try {
    const call = { method: 'GET', path: '/v1/usage', schema: sandboxUsageSchema, timeoutMs: answerMs } as const;
    return await agents.call(route, call);
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}
