import { type SessionStatus, updateSessionSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();
const caller = { tenant: 'acme', scopes: new Set(['run', 'host'] as const), keyId: null };

const waiting = { slug: 'session-not-active', options: { detail: expect.stringContaining('is being paused') } };

/** Every status that is not the end, and whether its sandbox may still be the one that has the network. */
const statuses: [SessionStatus, keepsNetwork: boolean][] = [
  ['creating', false],
  ['pausing', true],
  ['paused', false],
  ['resuming', false],
  ['lost', false],
  ['recovering', false],
];

test.each(statuses)(
  'a change of a session that is %s is kept, and is answered so unless the network may stay',
  async (status, keepsNetwork) => {
    const { verbs } = await given.replica([]);
    given.cluster.answering = ({ url }, response) => {
      if (url !== '/v1/policy') return false;
      response.writeHead(204).end();
      return true;
    };
    const { id } = await verbs.createSession({ caller, request: { language: 'python', metadata: {}, env: {} } });
    await given.db.sql`
    update sessions set status = ${status}, start_deadline_at = now() + interval '1 hour' where id = ${id}`;
    const patch = (change: object) => verbs.updateSession({ caller, id, patch: updateSessionSchema.parse(change) });
    expect(await patch({ metadata: { a: 'b' } })).toMatchObject({ status, metadata: { a: 'b' } });
    expect(await patch({ budget: { tokens: 5 } })).toMatchObject({ status, budget: { limits: { tokens: 5 } } });
    expect(await patch({ budget: { tokens: 6 }, policy: { execution: { allowSubeval: false } } })).toMatchObject({
      status,
      budget: { limits: { tokens: 6 } },
      policy: { execution: { allowSubeval: false } },
    });
    const offline = { policy: { execution: { allowNetworkCalls: false } } };
    if (keepsNetwork) await expect(patch(offline)).rejects.toMatchObject(waiting);
    else expect(await patch(offline)).toMatchObject({ status });
    expect(await verbs.getSession({ caller, id })).toMatchObject({ status, ...offline });
  },
);
