import { type WatchLine, watchLineBytesMax, watchLineSchema } from '@holdfast/specs/agent';
import type { FileEvent } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';

export type WatchDependencies = ExplainDependencies & {
  agents: Pick<AgentClient, 'pull'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
};

type WatchInput = { caller: Caller; sessionId: string; path: string; recursive: boolean; signal: AbortSignal };

/** An agent says something four times in this time, even if nothing happens. */
const silentMsMax = 60_000;

/**
 * Watches a file, a directory or the directories below it in a session's sandbox. The first event, `ready`, is there when this resolves. `quiet`
 * comes between events now and then. The sandbox is read no faster than the events are taken, and keeps a bounded number of them.
 *
 * @throws Problem 403, 404, 409, 410, 429, 502, 503, also while the events are taken
 */
export async function watchFiles(
  deps: WatchDependencies,
  { caller, sessionId, path, recursive, signal }: WatchInput,
): Promise<AsyncGenerator<FileEvent | 'quiet'>> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const target = `/v1/files/events?path=${encodeURIComponent(path)}&recursive=${recursive}`;
  const lines = linesIn(deps.agents.pull(route, { method: 'GET', path: target, signal }));
  const explained = async (error: unknown) => (signal.aborted ? error : await explainFailedCall(deps, { key, error }));
  const first = await lines.next().catch(async (error) => {
    throw await explained(error);
  });
  return events();

  async function* events(): AsyncGenerator<FileEvent | 'quiet'> {
    try {
      for (let line = first; !line.done; line = await lines.next()) {
        yield line.value.type === 'quiet' ? 'quiet' : line.value;
        if (line.value.type === 'ended') return;
      }
      throw new AgentError('cut', 'the sandbox has ended its watch');
    } catch (error) {
      throw await explained(error);
    } finally {
      await lines.return(undefined);
    }
  }
}

/** @throws AgentError */
async function* linesIn(body: ReturnType<AgentClient['pull']>): AsyncGenerator<WatchLine, undefined> {
  const waitFor = () =>
    setTimeout(() => body.destroy(new AgentError('cut', 'the sandbox is silent')), silentMsMax).unref();
  let silent = waitFor();
  let rest = '';
  try {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      // While the reader takes nothing, nothing is asked of the sandbox.
      clearTimeout(silent);
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > watchLineBytesMax) throw new AgentError('invalid', 'an event of a watch is too long');
      for (const line of lines) yield parsed(line);
      silent = waitFor();
    }
  } finally {
    clearTimeout(silent);
  }
}

function parsed(line: string): WatchLine {
  try {
    return watchLineSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new AgentError('invalid', 'an event of a watch is garbled', { cause });
  }
}
