import { agentJobSchema, policyRevisionHeader } from '@holdfast/specs/agent';
import type { Hono } from 'hono';
import type { ContextSet } from '../contexts/context-set.ts';
import type { JobSet } from '../jobs/job-set.ts';
import type { SharedTimer } from '../steps/shared-timer.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { readJson } from './read-json.ts';
import { streamFrames } from './stream-frames.ts';

/** Enough for the largest arguments and input as JSON, in which a character may take six bytes. */
const jobBodyBytesMax = 16 * 1024 * 1024;

/** Runs jobs. The operations for steps accept the id of a job as well. */
export function jobOperations(
  app: Hono<Environment>,
  {
    jobs,
    contexts,
    gathering,
  }: { jobs: Pick<JobSet, 'submit'>; contexts: Pick<ContextSet, 'rules'>; gathering: SharedTimer },
): void {
  app.post('/v1/jobs', async (c) => {
    const job = await readJson(c.env.incoming, agentJobSchema, jobBodyBytesMax);
    contexts.rules.assertRevision(c.req.header(policyRevisionHeader));
    const log = jobs.submit(job);
    streamFrames(c.env.outgoing, { log, cursor: log.cursorAfter(0), gathering });
    return answeredItself;
  });
}
