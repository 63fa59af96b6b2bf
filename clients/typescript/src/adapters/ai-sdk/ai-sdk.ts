export type { CodeImage, CodeOutcome } from '../running/run-code.ts';
export type { CommandOutcome } from '../running/run-command.ts';
export { createSandbox, type SandboxOptions } from './sandbox.ts';
export { createTools, type HoldfastTools, type ToolOptions } from './tools.ts';
