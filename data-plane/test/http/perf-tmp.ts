import { Agent, request } from 'node:http';
import { createApp } from '../../src/app.ts';
import { serveApp } from '../../src/http/serve-app.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { scriptedStep } from './scripted-step.ts';
import { scriptedVerbs, sessionId } from './scripted-verbs.ts';
const mk = () => { const s = scriptedStep(sessionId); setImmediate(() => { s.add('started', {contextEpoch:1, executionCount:1}); s.add('stdout', Buffer.from('a\n')); s.finish(); }); return s; };
const { verbs } = scriptedVerbs({ runStep: async () => mk() });
const app = createApp({ verbs, log: createLogger({ level: 'silent' }), metrics: createMetrics({ agentAuthBypassed: false }), agentAuthBypassed: false });
const s = await serveApp(app, { host: '127.0.0.1', port: 0 });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const body = JSON.stringify({ code: 'print("a")' });
const once = (accept: string) => new Promise<void>((res, rej) => {
  const r = request(`${s.url}/v1/sessions/${sessionId}/steps`, { agent, method: 'POST', headers: { authorization: 'Bearer run', 'content-type': 'application/json', 'content-length': body.length, accept } }, (m) => { m.resume(); m.on('end', res); });
  r.on('error', rej); r.end(body);
});
for (const accept of ['application/json', 'text/event-stream', 'application/json', 'text/event-stream', 'application/x-ndjson']) {
  for (let i = 0; i < 500; i++) await once(accept);
  const t: number[] = [];
  const c = process.cpuUsage();
  for (let i = 0; i < 2000; i++) { const a = performance.now(); await once(accept); t.push(performance.now() - a); }
  const d = process.cpuUsage(c);
  t.sort((a, b) => a - b);
  console.log(accept, 'p50 us', Math.round(t[1000]! * 1000), 'cpu us/req (both sides)', Math.round((d.user + d.system) / 2000));
}
agent.destroy(); await s.close();
