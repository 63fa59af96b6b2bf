import type { Readiness } from '@holdfast/specs';
import type { Database } from '../registry/connect.ts';
import { ping } from '../registry/ping.ts';
import type { StepRecorder } from './step-recorder.ts';

type ReadinessDependencies = {
  db: Database;
  recorder: Pick<StepRecorder, 'healthy'>;
  isDraining(): boolean;
  agentAuthBypassed: boolean;
};

/** Whether this replica should get requests, and what keeps it from that. */
export async function readiness(deps: ReadinessDependencies): Promise<Readiness> {
  const database = await ping(deps.db).then(
    () => 'ok',
    () => 'cannot be reached',
  );
  const checks = {
    database,
    history: deps.recorder.healthy ? 'ok' : 'steps cannot be recorded',
    process: deps.isDraining() ? 'is shutting down' : 'ok',
  };
  const ready = Object.values(checks).every((check) => check === 'ok');
  return { ready, checks, agentAuthBypassed: deps.agentAuthBypassed };
}
