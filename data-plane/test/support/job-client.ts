import type { Job, RunJob, StepEvent } from '@holdfast/specs/public';
import { expect } from 'vitest';
import type { client } from './start-holdfast.ts';

type Wanted = Omit<Partial<RunJob>, 'files'> & { files?: Record<string, string | { base64: string }> };
type Options = { query?: string; headers?: Record<string, string> };

/** The routes of jobs as a client uses them. */
export function jobClient({ url, request }: { url: string; request: ReturnType<typeof client>['request'] }) {
  return {
    /** Runs a job to its end. */
    async runJob(body: Wanted, { query = '?inline=true', headers }: Options = {}): Promise<Job> {
      const answer = await request('POST', `/v1/run${query}`, body, headers);
      expect(answer.body, `status ${answer.status}`).toHaveProperty('artifacts');
      return answer.body;
    },

    /** Its events as they come; leaving off goes away. */
    async *streamJob(body: Wanted): AsyncGenerator<StepEvent> {
      const headers = { 'content-type': 'application/json', accept: 'application/x-ndjson' };
      const response = await fetch(`${url}/v1/run`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
      let rest = '';
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) yield JSON.parse(line);
      }
    },

    /** The bytes behind a URL of a job's answer. */
    async download(path: string | undefined): Promise<{ status: number; text: string; type: string | null }> {
      const response = await fetch(`${url}${path}`);
      return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
    },
  };
}
