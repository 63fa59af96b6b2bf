import { Problem, policyPresets, type Session } from '@holdfast/specs/public';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import type { Caller } from '../../src/sessions/caller.ts';

export const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';
export const stepId = 'stp_01kaf3y2bw4x5y6z7a8b9cdefg';

export const session: Session = {
  id: sessionId,
  status: 'active',
  language: 'python',
  runtime: 'process',
  network: 'internet',
  profile: 'default',
  epoch: 1,
  metadata: {},
  clientKey: null,
  timeoutSeconds: 86_400,
  idleTimeoutSeconds: 3600,
  policy: { preset: 'unrestricted', ...policyPresets.unrestricted },
  recovery: 'off',
  onIdle: 'end',
  lostReason: null,
  lostMessage: null,
  lastRecovery: null,
  budget: null,
  webhooks: [],
  stepCount: 0,
  createdAt: '2026-01-15T10:00:00.000Z',
  updatedAt: '2026-01-15T10:00:00.000Z',
  lastActivityAt: '2026-01-15T10:00:00.000Z',
  expiresAt: '2026-01-16T10:00:00.000Z',
  endedAt: null,
  endReason: null,
  endMessage: null,
};

/** Verbs of which a test gives those that it expects; any other refuses and is noted in `surprises`. Keys: `run`, `host`, `admin`. */
export function scriptedVerbs(script: Partial<Verbs>): { verbs: Verbs; surprises: string[] } {
  const surprises: string[] = [];
  const verbs = new Proxy({ authenticate, ...script } as Verbs, {
    get(target, name: keyof Verbs) {
      if (target[name]) return target[name];
      return () => {
        surprises.push(name);
        throw new Error(`unexpected ${name}`);
      };
    },
  });
  return { verbs, surprises };
}

async function authenticate(key: string | null): Promise<Caller> {
  if (key === 'run') return { tenant: 'acme', scopes: new Set(['run']), keyId: 'key_run' };
  if (key === 'host') return { tenant: 'acme', scopes: new Set(['run', 'host']), keyId: 'key_host' };
  if (key === 'admin') return { tenant: 'acme', scopes: new Set(['admin']), keyId: 'key_admin' };
  throw new Problem('unauthenticated', { detail: key === null ? 'no key was sent' : 'the key is not known' });
}
