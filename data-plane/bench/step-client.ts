import type { Step } from '@holdfast/specs/public';
import { Client } from 'undici';

/** Runs steps of one session over one persistent connection, as a service in front of Holdfast does. */
export function stepClient(url: string, sessionId: string) {
  const connection = new Client(url);
  return {
    async runStep(code: string): Promise<Step> {
      const { statusCode, body } = await connection.request({
        method: 'POST',
        path: `/v1/sessions/${sessionId}/steps`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
      return JSON.parse(text);
    },
    close: () => connection.close(),
  };
}
