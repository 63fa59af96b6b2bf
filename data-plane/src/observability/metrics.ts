import { type CodeLanguage, type EndReason, isBuiltIn, type StepStatus } from '@holdfast/specs/public';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export type SessionEvent = 'created' | 'start_failed' | 'deleted' | EndReason;
export type RequestOutcome = { route: string; method: string; status: number; durationMs: number };

/** `durationMs` is the wall time of the run, null if the step never ran. */
type StepOutcome = { language: CodeLanguage; status: StepStatus; durationMs: number | null };

export type WarmSandboxes = {
  profile: string;
  network: string;
  state: 'starting' | 'ready' | 'claimed';
  count: number;
};

/** The metrics of the data-plane. Labels come from closed sets, without ids, tenants or text of a client's. */
export type Metrics = {
  request(request: RequestOutcome): void;
  stepEnded(step: StepOutcome): void;
  session(event: SessionEvent): void;
  /** `delta` is 1 when a connection to an agent opens, -1 when it closes. */
  agentConnections(delta: 1 | -1): void;
  recordBatch(rows: number): void;
  /** A session's wish for a warm sandbox: `cold` if none was ready. */
  warmClaim(result: 'warm' | 'cold'): void;
  /** The number of all that exist, of all replicas. */
  warmSandboxes(counts: readonly WarmSandboxes[]): void;
  /** An attempt to deliver an end to a webhook: `given_up` if it was the last one of its delivery. */
  webhookAttempt(result: 'delivered' | 'failed' | 'given_up'): void;
  /** The text format of Prometheus. */
  exposition(): Promise<{ contentType: string; text: string }>;
};

/** Metrics with a registry of their own, so that several can live in one process. */
export function createMetrics(options: { agentAuthBypassed: boolean; processMetrics?: boolean }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'holdfast_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: durationBuckets,
    registers,
  });
  const steps = new Counter({
    name: 'holdfast_steps_total',
    help: 'Steps that have ended',
    labelNames: ['language', 'status'],
    registers,
  });
  const stepDuration = new Histogram({
    name: 'holdfast_step_duration_seconds',
    help: 'Wall time of steps in their kernels',
    labelNames: ['language'],
    buckets: durationBuckets,
    registers,
  });
  const sessions = new Counter({
    name: 'holdfast_sessions_total',
    help: 'What happened to sessions',
    labelNames: ['event'],
    registers,
  });
  const connections = new Gauge({ name: 'holdfast_agent_connections', help: 'Open connections to agents', registers });
  const batches = new Histogram({
    name: 'holdfast_record_batch_rows',
    help: 'Rows that one write of step records holds',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const warmClaims = new Counter({
    name: 'holdfast_warm_claims_total',
    help: 'Sessions that could have claimed a warm sandbox, by whether one was ready',
    labelNames: ['result'],
    registers,
  });
  const warm = new Gauge({
    name: 'holdfast_warm_sandboxes',
    help: 'Sandboxes in warm pools, of all replicas together',
    labelNames: ['profile', 'network', 'state'],
    registers,
  });
  const webhookAttempts = new Counter({
    name: 'holdfast_webhook_attempts_total',
    help: 'Attempts to deliver ends to webhooks',
    labelNames: ['result'],
    registers,
  });
  new Gauge({
    name: 'holdfast_agent_auth_bypassed',
    help: '1 if agents are called without authentication',
    registers,
  }).set(options.agentAuthBypassed ? 1 : 0);

  const requestsUncounted = createUncounted(({ route, method, status, durationMs }: RequestOutcome) =>
    requests.observe({ route, method, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000),
  );
  const stepsUncounted = createUncounted(({ language, status, durationMs }: StepOutcome) => {
    const labels = { language: languageLabel(language) };
    steps.inc({ ...labels, status });
    if (durationMs !== null) stepDuration.observe(labels, durationMs / 1000);
  });
  const batchesUncounted = createUncounted((rows: number) => batches.observe(rows));

  return {
    request: requestsUncounted.add,
    stepEnded: ({ language, status, durationMs }) => stepsUncounted.add({ language, status, durationMs }),
    session: (event) => sessions.inc({ event }),
    agentConnections: (delta) => connections.inc(delta),
    recordBatch: batchesUncounted.add,
    warmClaim: (result) => warmClaims.inc({ result }),
    warmSandboxes(counts) {
      warm.reset();
      for (const { count, ...labels } of counts) warm.set(labels, count);
    },
    webhookAttempt: (result) => webhookAttempts.inc({ result }),
    async exposition() {
      for (const { countAll } of [requestsUncounted, stepsUncounted, batchesUncounted]) countAll();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** The most that wait to be counted. */
const uncountedMax = 64;

/**
 * Counts many at a time, and all of them before they are read. Labels are looked up by code that a step would run once: here each run finds the
 * processor's caches as the one before it left them.
 */
function createUncounted<One>(count: (one: One) => void) {
  let uncounted: One[] = [];
  function countAll(): void {
    const all = uncounted;
    uncounted = [];
    for (const one of all) count(one);
  }
  function add(one: One): void {
    uncounted.push(one);
    if (uncounted.length >= uncountedMax) countAll();
  }
  return { add, countAll };
}

/** Clients choose the names of Jupyter kernels, so all of them have one label. */
const languageLabel = (language: CodeLanguage) => (isBuiltIn(language) || language === 'bun' ? language : 'jupyter');
