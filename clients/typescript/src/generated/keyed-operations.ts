// Generated from the OpenAPI document by `npm run generate`.

/** The operations that do nothing twice if a request with the same `Idempotency-Key` is repeated. */
export const keyedOperations: ReadonlySet<string> = new Set([
  'POST /v1/sessions',
  'POST /v1/sessions/{sessionId}/usage',
  'POST /v1/sessions/{sessionId}/steps',
  'POST /v1/sessions/{sessionId}/steps/{stepId}/stdin',
  'POST /v1/sessions/{sessionId}/shares',
  'POST /v1/sessions/{sessionId}/processes',
  'POST /v1/run',
  'POST /v1/sessions/{sessionId}/jobs',
  'POST /v1/sessions/{sessionId}/ports',
  'POST /v1/sessions/{sessionId}/contexts',
  'POST /v1/sessions/{sessionId}/fork',
  'POST /v1/snapshots',
  'POST /v1/sessions/{sessionId}/contexts/{contextId}/comms',
  'POST /v1/api-keys',
]);
