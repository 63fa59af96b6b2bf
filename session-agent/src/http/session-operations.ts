import { isDeepStrictEqual } from 'node:util';
import {
  agentPolicySchema,
  type Bind,
  bindSchema,
  fenceQuerySchema,
  holdQuerySchema,
  holdSchema,
} from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { Hono } from 'hono';
import type { Binding } from '../auth/create-binding.ts';
import type { ContextSet } from '../contexts/context-set.ts';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import type { JobSet } from '../jobs/job-set.ts';
import type { PortTunnels } from '../ports/port-tunnels.ts';
import type { ProcessSet } from '../processes/process-set.ts';
import { readUsage } from '../usage/read-usage.ts';
import type { Environment } from './listen.ts';
import { parseBy, readJson } from './read-json.ts';

/** Binds the sandbox to its session, holds it while it is saved, and fences it. */
export function sessionOperations(
  app: Hono<Environment>,
  deps: {
    sandboxUid: string;
    binding: Pick<Binding, 'session'>;
    contexts: ContextSet;
    jobs: Pick<JobSet, 'quiesce' | 'busy'>;
    ports: Pick<PortTunnels, 'close'>;
    processes: Pick<ProcessSet, 'end'>;
    workspaceFiles: {
      workspace: Pick<WorkspaceFiles['workspace'], 'descriptor'>;
      watch: Pick<WorkspaceFiles['watch'], 'scanAhead'>;
    };
  },
): void {
  let bound: Omit<Bind, 'policy'> | null = null;

  const status = () => ({
    uid: deps.sandboxUid,
    sessionId: deps.binding.session?.id ?? null,
    epoch: deps.binding.session?.epoch ?? null,
    fenced: deps.contexts.fenced,
  });

  app.get('/v1/session', (c) => c.json(status()));

  app.get('/v1/usage', async (c) => c.json(await readUsage(deps.workspaceFiles.workspace)));

  app.put('/v1/session', async (c) => {
    const { policy, ...bind } = await readJson(c.env.incoming, bindSchema);
    if (bound && !isDeepStrictEqual(bound, bind)) {
      throw new Problem('invalid-request', { detail: 'the sandbox was bound with another language or env' });
    }
    if (!bound) {
      deps.contexts.assertOpen();
      deps.contexts.env = bind.env;
      deps.contexts.firstContextEpoch = bind.firstContextEpoch;
      deps.contexts.keepsState = bind.keepsState;
      if (policy) await deps.contexts.follow(policy);
      if (bind.prestart) deps.contexts.forStep(bind.language, bind.language);
      deps.workspaceFiles.watch.scanAhead();
      bound = bind;
    }
    return c.json(status());
  });

  app.put('/v1/policy', async (c) => {
    await deps.contexts.follow(await readJson(c.env.incoming, agentPolicySchema));
    if (deps.contexts.rules.isConfining) await deps.processes.end({ code: 'policy_changed' });
    return c.body(null, 204);
  });

  app.post('/v1/hold', async (c) => {
    const { by = '' } = parseBy(holdQuerySchema, c.req.query());
    const { seconds } = await readJson(c.env.incoming, holdSchema);
    if (deps.jobs.busy) throw new Problem('context-busy', { detail: 'a job is running' });
    deps.contexts.hold({ by, seconds });
    return c.body(null, 204);
  });

  app.delete('/v1/hold', (c) => {
    deps.contexts.release(parseBy(holdQuerySchema, c.req.query()).by);
    return c.body(null, 204);
  });

  app.post('/v1/fence', async (c) => {
    const { saving } = parseBy(fenceQuerySchema, c.req.query());
    deps.contexts.isToBeSaved ||= saving === 'true';
    const ended = { code: 'session_ended' } as const;
    const fenced = Promise.all([deps.contexts.fence(), deps.jobs.quiesce(ended), deps.processes.end(ended)]);
    deps.ports.close();
    await fenced;
    return c.body(null, 204);
  });
}
