export * from './kernel-protocol.ts';
