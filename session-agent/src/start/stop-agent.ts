import { setTimeout as sleep } from 'node:timers/promises';
import type { ContextSet } from '../contexts/context-set.ts';
import type { Listening } from '../http/listen.ts';
import type { JobSet } from '../jobs/job-set.ts';
import type { PortTunnels } from '../ports/port-tunnels.ts';
import type { ProcessSet } from '../processes/process-set.ts';

const stopMsMax = 1800;

/** Kills all kernels and jobs, lets pending answers send the ends of their steps, and ends the process. */
export async function stopAgent({
  close,
  contexts,
  jobs,
  ports,
  processes,
}: Pick<Listening, 'close'> & {
  contexts: Pick<ContextSet, 'close'>;
  jobs: Pick<JobSet, 'end'>;
  ports: Pick<PortTunnels, 'close'>;
  processes: Pick<ProcessSet, 'end'>;
}): Promise<void> {
  const closed = close();
  ports.close();
  const cause = { code: 'session_ended' } as const;
  const ended = Promise.all([contexts.close(), jobs.end(cause), processes.end(cause)]);
  await Promise.race([ended.then(() => closed), sleep(stopMsMax)]);
  process.exit(0);
}
