import { expect, test } from 'vitest';
import { startAgent } from '../support/start-agent.ts';

/** Makes Node print its loaded internal modules to stderr when it ends. */
const listModules = 'process.once("exit", () => process.stderr.write(process.moduleLoadList.join("\\n")))';

test("does not load Node's HTTP client to answer steps, files and strangers", async () => {
  const agent = await startAgent({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(listModules)}` });
  try {
    expect(await agent.run({ code: '1 + 1' })).toMatchObject({ value: '2' });
    expect((await fetch(`${agent.url}/v1/session`)).headers.get('www-authenticate')).toBe('Bearer');
    expect((await agent.call('GET', '/v1/nothing')).status).toBe(404);
    const headers = { authorization: `Bearer ${agent.token}`, 'content-type': 'application/octet-stream' };
    const written = await fetch(`${agent.url}/v1/files?path=a.txt`, { method: 'PUT', headers, body: 'a' });
    expect(written.headers.get('content-type')).toBe('application/json');
    expect(written.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
  } finally {
    await agent[Symbol.asyncDispose]();
  }
  expect(agent.log()).toContain('_http_server');
  expect(agent.log()).not.toContain('undici');
});
