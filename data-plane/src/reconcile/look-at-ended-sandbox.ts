import type { Logger } from '../observability/logger.ts';
import { findSessionOfSandbox } from '../registry/routes/find-session-of-sandbox.ts';
import { findWarmSandbox } from '../registry/warm-sandboxes/find-warm-sandbox.ts';
import type { Runtime, SandboxKey } from '../runtimes/runtime.ts';
import type { LeaveDependencies } from '../sessions/leave-active.ts';
import { apply } from './apply.ts';
import { plan } from './plan.ts';

type LookDependencies = LeaveDependencies & { runtime: Runtime; log: Logger; hint(sessionId: string): void };

/** What a sandbox that seems to have ended was for is looked at: its session, or itself where it belongs to none. */
export async function lookAtEndedSandbox(deps: LookDependencies, uid: string): Promise<void> {
  const sessionId = await findSessionOfSandbox(deps.db, { uid });
  if (sessionId !== null) return deps.hint(sessionId);
  const name = await findWarmSandbox(deps.db, { uid });
  if (name !== null) await lookAtWarmSandbox(deps, { name, uid });
}

/** Looks at one warm sandbox anew: where it is not there any more, nobody may claim it. */
export async function lookAtWarmSandbox(deps: Omit<LookDependencies, 'hint'>, sandbox: SandboxKey): Promise<void> {
  const found = await deps.runtime.inspect(sandbox.name);
  if (found?.uid === sandbox.uid && found.phase !== 'ended') return;
  deps.log.warn({ sandbox: sandbox.name, cause: found?.cause }, 'warm sandbox lost');
  await apply(deps, plan({ seen: 'warm-lost', sandbox }));
}
