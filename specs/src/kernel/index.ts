export * from './kernel-protocol.ts';
export * from './operation-call.ts';
