import type { Logger } from '../observability/logger.ts';
import type { SandboxKey } from '../runtimes/runtime.ts';
import { type ApplyDependencies, apply } from './apply.ts';
import { observeSession, observeWarmSandbox, type SilentAgent } from './observe.ts';
import { plan } from './plan.ts';

export type ReconcileDependencies = ApplyDependencies & {
  log: Logger;
  /** The sessions whose agents are to be probed. */
  suspects: Set<string>;
};

/**
 * Observes one session anew and does what is planned for it: a lost sandbox is replaced, or the session ends. If the sandbox runs, whatever
 * led to this check may have been an agent that does not answer.
 */
export async function reconcileSession(
  deps: ReconcileDependencies,
  sessionId: string,
  silent?: SilentAgent,
): Promise<void> {
  const observation = await observeSession(deps, { sessionId, silent });
  if (!observation) {
    // The session has moved on, or has ended.
    deps.routes.drop(sessionId);
    return;
  }
  if (observation.route?.sandbox?.state === 'alive') deps.suspects.add(sessionId);
  const action = plan(observation);
  if (action.act === 'lose') {
    const { epoch, uid, cause } = action;
    deps.log.warn({ sessionId, epoch, uid, cause }, 'sandbox lost');
  }
  await apply(deps, action);
  // Another replica may have acted on it. This one must not dial the earlier sandbox again: nothing may answer there.
  if (action.act === 'lose') deps.routes.drop(sessionId);
}

/** Observes one warm sandbox anew; if it is lost, no session may claim it. */
export async function reconcileWarmSandbox(deps: ReconcileDependencies, sandbox: SandboxKey): Promise<void> {
  const action = plan(await observeWarmSandbox(deps, sandbox));
  if (action.act === 'withdraw') deps.log.warn({ sandbox: sandbox.name, uid: sandbox.uid }, 'warm sandbox lost');
  await apply(deps, action);
}
