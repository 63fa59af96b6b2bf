import type { SandboxExecResult } from '@openai/agents/sandbox';

/** As the SDK's own sandboxes describe a command to the model. */
export function described({ output, wallTimeSeconds, sessionId, exitCode }: SandboxExecResult): string {
  const state = sessionId === undefined ? `exited with code ${exitCode}` : `running with session ID ${sessionId}`;
  return `Wall time: ${wallTimeSeconds.toFixed(4)} seconds\nProcess ${state}\nOutput:\n${output}`;
}
