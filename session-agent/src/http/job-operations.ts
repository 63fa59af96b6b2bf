import { agentJobSchema } from '@holdfast/specs/agent';
import type { Hono } from 'hono';
import type { JobSet } from '../jobs/job-set.ts';
import type { Environment } from './environment.ts';
import { answeredItself } from './plain-response.ts';
import { readJson } from './read-json.ts';
import { streamFrames } from './stream-frames.ts';

/** Arguments and input as JSON may have them, in which a character can take six. */
const jobBodyBytesMax = 16 * 1024 * 1024;

/** Running jobs; with the id of one, the routes of steps serve it too. */
export function jobOperations(app: Hono<Environment>, { jobs }: { jobs: Pick<JobSet, 'submit'> }): void {
  app.post('/v1/jobs', async (c) => {
    const log = jobs.submit(await readJson(c.env.incoming, agentJobSchema, jobBodyBytesMax));
    streamFrames(c.env.outgoing, { log, cursor: log.cursorAfter(0) });
    return answeredItself;
  });
}
