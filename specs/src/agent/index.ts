/**
 * The session-agent's HTTP API. Every operation except `GET /healthz` and `POST /v1/proof` requires the session's token.
 * Errors are problems, as in the public API.
 */
export * from './changes.ts';
export * from './contexts.ts';
export * from './frame-splitter.ts';
export * from './frames.ts';
export * from './ports.ts';
export * from './process-frames.ts';
export * from './processes.ts';
export * from './session.ts';
export * from './snapshots.ts';
export * from './steps.ts';
export * from './token.ts';
export * from './uint32.ts';
export * from './watches.ts';
