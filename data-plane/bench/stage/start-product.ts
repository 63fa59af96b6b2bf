import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from '@holdfast/specs/public';
import { Client } from 'undici';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { client, startHoldfast } from '../../test/support/start-holdfast.ts';
import type { Stage } from './stage.ts';

export type Product = Awaited<ReturnType<typeof startProduct>>;
export type ProductSession = Awaited<ReturnType<Product['openSession']>>;

/**
 * Starts Holdfast as `npm start` does, beside the stage's Postgres. Requests carry an API key, and agents are called with tokens.
 * @param program another program that serves, instead of Holdfast's own
 */
export async function startProduct(
  { database, dataDir, defer, python }: Pick<Stage, 'database' | 'dataDir' | 'defer' | 'python'>,
  { env = {}, program }: { env?: Record<string, string>; program?: string } = {},
) {
  const apiKey = randomBytes(24).toString('hex');
  const home = join(dataDir, 'holdfast');
  const settings = {
    HOLDFAST_DATA_DIR: home,
    DATABASE_URL: (await database()).url,
    HOLDFAST_PYTHON: python,
    HOLDFAST_BOOTSTRAP_API_KEY: apiKey,
    HOLDFAST_SESSIONS_MAX: '100000',
    ...env,
  };
  const starting = startHoldfast(settings, [], program);
  // Also if the run is interrupted while it starts.
  defer(() =>
    starting.then(
      ({ stop }) => stop(),
      () => {},
    ),
  );
  const started = await starting;
  const headers = { authorization: `Bearer ${apiKey}` };
  const api = client(started.url, headers);

  /** A session, and one open connection for its steps, as a service in front of Holdfast has it. */
  async function openSession(body: object = {}) {
    const { id } = await api.createSession(body);
    const connection = new Client(started.url);
    const sandbox = sandboxName(id, 1);
    /** The record that the process runtime keeps. */
    const sandboxRecord = async (): Promise<{ uid: string; endpoint: string }> =>
      JSON.parse(await readFile(join(home, 'sandboxes', sandbox, 'sandbox.json'), 'utf8'));
    return {
      id,
      sandbox,
      /** The address of its agent. */
      agentEndpoint: async () => (await sandboxRecord()).endpoint,
      sandboxUid: async () => (await sandboxRecord()).uid,
      async openContext(body: object) {
        const answer = await api.request('POST', `/v1/sessions/${id}/contexts`, body);
        if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
        const contextId: string = answer.body.id;
        return { id: contextId, close: () => api.request('DELETE', `/v1/sessions/${id}/contexts/${contextId}`) };
      },
      async runStep(step: object): Promise<Step> {
        const { statusCode, body } = await connection.request({
          method: 'POST',
          path: `/v1/sessions/${id}/steps`,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(step),
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
        return JSON.parse(text);
      },
      async close(): Promise<void> {
        await connection.destroy();
        await api.request('DELETE', `/v1/sessions/${id}`);
      },
    };
  }

  return { ...started, ...api, headers, home, openSession };
}
