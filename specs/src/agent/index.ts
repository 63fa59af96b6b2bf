export * from './agent-api.ts';
export * from './frames.ts';
export * from './token.ts';
