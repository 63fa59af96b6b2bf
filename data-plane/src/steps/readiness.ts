import type { Readiness } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { ping } from '../registry/ping.ts';
import type { StepRecorder } from './recording/step-recorder.ts';

type ReadinessDependencies = {
  db: Database;
  recorder: Pick<StepRecorder, 'healthy'>;
  isDraining(): boolean;
  agentAuthBypassed: boolean;
};

/** A database that was stopped or cut off gives no answer at all, but a probe must get one. */
const pingMs = 2000;

/** Whether this replica should get requests, with the state of each thing that this depends on. */
export async function readiness(deps: ReadinessDependencies): Promise<Readiness> {
  const database = await databaseState(deps.db);
  const checks = {
    database,
    history: deps.recorder.healthy ? 'ok' : 'steps cannot be recorded',
    replica: deps.isDraining() ? 'is shutting down' : 'ok',
  };
  const ready = Object.values(checks).every((check) => check === 'ok');
  return { ready, checks, agentAuthBypassed: deps.agentAuthBypassed };
}

async function databaseState(db: Database): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('does not answer'), pingMs);
  });
  const answered = ping(db).then(
    () => 'ok',
    () => 'cannot be reached',
  );
  return await Promise.race([answered, silent]).finally(() => clearTimeout(timer));
}
