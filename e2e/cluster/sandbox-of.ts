import type { Client } from './connect-holdfast.ts';
import { sandboxNamespace } from './namespaces.ts';
import { type Pod, pod } from './pods.ts';

/** The pod in which a session's code runs. */
export async function sandboxOf(holdfast: Pick<Client, 'runStep'>, sessionId: string): Promise<Pod> {
  return await pod(sandboxNamespace, await hostnameIn(holdfast, sessionId));
}

export async function hostnameIn(holdfast: Pick<Client, 'runStep'>, sessionId: string): Promise<string> {
  const step = await holdfast.runStep(sessionId, { code: 'import socket; print(socket.gethostname(), end="")' });
  if (step.stdout === '') throw new Error(`the step gave no host name: ${JSON.stringify(step)}`);
  return step.stdout;
}
