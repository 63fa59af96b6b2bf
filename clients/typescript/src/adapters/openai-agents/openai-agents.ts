export { createSandbox, type HoldfastSandbox, type SandboxOptions } from './sandbox.ts';
export { createCodeInterpreter, createShell, type ShellOptions } from './tools.ts';
