import type { Verbs } from '../http/v1/verbs.ts';
import { openJobFile } from '../jobs/open-job-file.ts';
import { runJob } from '../jobs/run-job.ts';
import { signJobUrls } from '../jobs/sign-job-urls.ts';
import type { DutyDependencies } from '../reconcile/duties/run-duties.ts';
import { readUsage } from '../sessions/usage/read-usage.ts';
import { readiness } from '../steps/readiness.ts';
import { createDeliveries } from '../webhooks/deliver-webhooks.ts';
import { listDeliveries } from '../webhooks/list-deliveries.ts';
import { composeAccess } from './compose-access.ts';
import { composeContexts } from './compose-contexts.ts';
import { composeCore, type ReplicaInput } from './compose-core.ts';
import { composeFiles } from './compose-files.ts';
import { composeMcp } from './compose-mcp.ts';
import { composePorts } from './compose-ports.ts';
import { composeProcesses } from './compose-processes.ts';
import { composeReconciling } from './compose-reconciling.ts';
import { composeSessions } from './compose-sessions.ts';
import { composeSnapshots } from './compose-snapshots.ts';
import { composeSteps } from './compose-steps.ts';
import { stopInTime } from './stop-in-time.ts';
import { translateErrors } from './translate-errors.ts';

/** A receiver that does more than to note what it gets should answer first. */
const webhookTimeoutMs = 10_000;

/** Composes everything once, part by part. */
export function composeReplica(input: ReplicaInput) {
  const { config, metrics, signing, replica, keyless, historyDb, heartbeatDb } = input;
  const core = composeCore(input);
  const reconciling = composeReconciling({ config, metrics, core });
  const sessions = composeSessions({ config, metrics, core, reconciling });
  const steps = composeSteps({ config, metrics, historyDb, core, reconciling });
  const processes = composeProcesses(config, core, reconciling);
  const jobs = { ...steps.running, ...sessions.creating };
  const { recorder } = steps;
  const { admissions } = steps.running;
  const access = composeAccess({ config, keyless, core });
  const ports = composePorts({ config, core, reconciling, access });
  const verbs: Verbs = {
    ...ports.verbs,
    ...access.verbs,
    ...sessions.verbs,
    ...steps.verbs,
    ...processes.verbs,
    ...composeContexts(core, reconciling),
    ...composeFiles(core, reconciling),
    ...composeSnapshots(core, reconciling),
    ...composeMcp(core),
    runJob: (request) => runJob(jobs, request),
    signJobUrls: (job) => signJobUrls(core, job),
    openJobFile: (file) => openJobFile(core, file),
    listDeliveries: (input) => listDeliveries(core, input),
    readUsage: (input) => readUsage(core, input),
    readiness: () => readiness({ ...core, db: heartbeatDb, recorder, agentAuthBypassed: signing === null }),
  };
  const webhooks = { ...config.webhooks, timeoutMs: webhookTimeoutMs };
  const deliveries = createDeliveries({ ...core, webhooks, onAttempt: metrics.webhookAttempt });
  const duties: DutyDependencies = {
    ...processes.following,
    ...steps.driving,
    deliveries,
    heartbeatDb,
    warmPools: reconciling.warmPools,
    openRequests: access.openRequests,
    slot: replica.slot,
    silenceSeconds: config.agent.silenceSeconds,
    history: config.history,
  };

  return {
    ...reconciling.losing,
    verbs: translateErrors(verbs),
    addOpenRequest: access.openRequests.add,
    visits: ports.visits,
    keepOwnPorts: ports.keepOwnPorts,
    duties,
    /** Waits for running work within the limits of a stop, then closes the connections in any case. */
    async close(force: AbortSignal): Promise<void> {
      core.stopFollowing();
      const settled = async () => {
        const { warmPools, reconciler } = reconciling;
        const rest = Promise.all([warmPools.close(), reconciler.settled(), deliveries.settled()]);
        rest.catch(() => {});
        // A step that outlasted the drain is handed over to another replica, the sooner the better; so is all other running work.
        if (core.liveSteps.size === 0) {
          await rest;
          await core.backgroundSettled();
        }
        await recorder.drained();
        // Otherwise another replica would take them over as never started, and use up their Idempotency-Keys.
        await admissions.withdrawGivenUp();
      };
      await stopInTime(settled, { force }).finally(async () => {
        core.autoSnapshots.close();
        core.acknowledgements.close();
        core.processAcknowledgements.close();
        await core.agents.close();
        await ports.close();
      });
    },
  };
}
