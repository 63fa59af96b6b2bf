import type { Config } from '../config/parse-config.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import type { Metrics } from '../observability/metrics.ts';
import { resolvePolicy } from '../policy/rules/resolve-policy.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { listAudit, listTenantAudit, readAuditStatistics } from '../sessions/audit/list-audit.ts';
import { createSession } from '../sessions/create/create-session.ts';
import { deleteSession } from '../sessions/delete-session.ts';
import { endSession } from '../sessions/end-session.ts';
import { forkSession } from '../sessions/fork/fork-session.ts';
import { getSession } from '../sessions/get-session.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import { moveSession } from '../sessions/pause/move-session.ts';
import { pauseSession } from '../sessions/pause/pause-session.ts';
import { resumePausedSession } from '../sessions/pause/resume-paused-session.ts';
import { updateSession } from '../sessions/policy/update-session.ts';
import { recoverSession } from '../sessions/recover/recover-session.ts';
import { reportUsage } from '../sessions/usage/report-usage.ts';
import type { Core } from './compose-core.ts';
import type { Reconciling } from './compose-reconciling.ts';

type SessionsInput = { config: Config; metrics: Metrics; core: Core; reconciling: Reconciling };

/** The verbs of sessions. A job in its own session needs `creating`, too. */
export function composeSessions({
  config,
  metrics,
  core,
  reconciling: { losing, starting, warmPools },
}: SessionsInput) {
  const creating = {
    ...core,
    ...starting,
    defaults: {
      ...config.sessions,
      sessionsMax: config.sessions.perTenantMax,
      policy: resolvePolicy(config.sessions.policy, null),
    },
    onClaim(result: 'warm' | 'cold') {
      metrics.warmClaim(result);
      warmPools.fillSoon();
    },
    onCreated({ id: sessionId, recovery, lastRecovery }: SessionRow) {
      metrics.session('created');
      if (recovery !== 'auto') return;
      // The code of an export is in no history, so only a snapshot has its state.
      for (const { contextId, language } of lastRecovery?.contexts ?? [])
        core.autoSnapshots.note({ sessionId, contextId, language });
    },
  };
  const updating = {
    ...losing,
    moveSession: (input: Parameters<typeof moveSession>[1]) => moveSession(losing, input),
  };
  const verbs = {
    createSession: (input) => createSession(creating, input),
    forkSession: (input) => forkSession(creating, input),
    recoverSession: (input) => recoverSession(losing, input),
    pauseSession: (input) => pauseSession(losing, input),
    moveSession: (input) => moveSession(losing, input),
    resumeSession: (input) => resumePausedSession(losing, input),
    getSession: (input) => getSession(core, input),
    listSessions: (input) => listSessions(core, input),
    updateSession: (input) => updateSession(updating, input),
    reportUsage: (input) => reportUsage(core, input),
    endSession: (input) => endSession(core, input),
    deleteSession: (input) => deleteSession(core, input),
    listAudit: (input) => listAudit(core, input),
    listTenantAudit: (input) => listTenantAudit(core, input),
    readAuditStatistics: (input) => readAuditStatistics(core, input),
  } satisfies Partial<Verbs>;
  return { creating, verbs };
}
