import { processStdinSchema } from '@holdfast/specs/agent';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { LiveProcess } from './ending/live-process.ts';
import { inputCall } from './send-process-input.ts';

type Feeding = { live: LiveProcess; route: Route; text: string };

/** Gives a process the input with which it was started, as fast as it reads, and then the end of it. Never rejects. */
export async function feedProcess(
  { agents }: { agents: Pick<AgentClient, 'call'> },
  { live, route, text }: Feeding,
): Promise<void> {
  const input = Buffer.from(text);
  let hasEnded = false;
  live.ended
    .finally(() => {
      hasEnded = true;
    })
    .catch(() => {});
  for (let offset = 0; !hasEnded; ) {
    try {
      const call = inputCall(live.id, { bytes: input.subarray(offset), end: true, offset });
      const { bytes, ended } = await agents.call(route, { ...call, schema: processStdinSchema });
      if (ended || bytes >= input.length) return;
      offset = Math.max(offset, Math.min(bytes, input.length));
    } catch (error) {
      // The offset makes a repeat harmless.
      if (!(error instanceof AgentError) || (error.kind !== 'cut' && error.kind !== 'undelivered')) return;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}

const againMs = 500;
