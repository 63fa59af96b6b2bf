import type { Job, RunSessionJob } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';

/** A program, with its files, arguments and limits. */
export type JobOptions = Omit<RunSessionJob, 'wait'> & CallOptions;

/** Programs that run once in a fresh process, with files, arguments and kept outputs. A job is recorded as a step. */
export type Jobs = ReturnType<typeof createJobs>;

export function createJobs({ api }: Connection, sessionId: string) {
  const params = { path: { sessionId } };
  const inline = 'true';

  const get = async (jobId: string, waitSeconds?: number, signal?: AbortSignal): Promise<Job> => {
    const query = waitSeconds === undefined ? { inline } : { inline, waitSeconds };
    return await answerOf(
      api.GET('/v1/sessions/{sessionId}/jobs/{jobId}', {
        params: { path: { sessionId, jobId }, query },
        ...(signal && { signal }),
      }),
    );
  };
  const start = async ({ signal, ...body }: JobOptions): Promise<Job> =>
    await answerOf(
      api.POST('/v1/sessions/{sessionId}/jobs', {
        params: { ...params, query: { inline } },
        body: { ...body, wait: false },
        ...(signal && { signal }),
      }),
    );
  const wait = async (jobId: string, { signal }: CallOptions = {}): Promise<Job> => {
    for (;;) {
      const job = await get(jobId, 30, signal);
      if (job.status !== 'queued' && job.status !== 'running') return job;
    }
  };

  return {
    /** Starts a program and resolves at once. */
    start,
    /** Waits for the end of a job. */
    wait,

    /** Runs a program and waits for its end. A program that fails is an answer with its `exitCode`. */
    async run(options: JobOptions): Promise<Job> {
      const { id } = await start(options);
      return await wait(id, options);
    },

    /** A job as it is now. */
    get: (jobId: string, { signal }: CallOptions = {}): Promise<Job> => get(jobId, undefined, signal),

    /** The jobs of the session by number, with `order: 'desc'` the latest first. */
    list({ order, signal }: CallOptions & { order?: 'asc' | 'desc' } = {}): AsyncGenerator<Job, void, undefined> {
      return paged((cursor) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/jobs', {
            params: { ...params, query: { inline, ...cursor, ...(order && { order }) } },
            ...(signal && { signal }),
          }),
        ),
      );
    },
  };
}
