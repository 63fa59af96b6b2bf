import type { Job, RunJob } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { createJobs } from './jobs.ts';

/** A program, with its files, arguments and limits, and the session that it makes. */
export type RunJobOptions = Omit<RunJob, 'wait'> & CallOptions;

/** Runs a program once, in a session of its own unless `sessionId` names one, and waits for its end. */
export async function runJob(connection: Connection, { signal, ...body }: RunJobOptions): Promise<Job> {
  const request = { body: { ...body, wait: false }, ...(signal && { signal }) };
  const { sessionId, id } = await answerOf(connection.api.POST('/v1/run', request));
  return await createJobs(connection, sessionId).wait(id, signal ? { signal } : {});
}
