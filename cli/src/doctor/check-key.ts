import { type Holdfast, HoldfastError } from '@holdfast/sdk';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Not the id of any session. */
const nowhere = `ses_${'0'.repeat(26)}`;

/** Whether the server knows the key, and which rights it has. Nothing is changed by the looks. */
export async function checkKey({ api }: Holdfast, apiKey: string | undefined): Promise<Finding> {
  const looks: Record<string, () => Promise<unknown>> = {
    run: () => api.GET('/v1/sessions', { params: { query: { limit: 1 } } }),
    host: () =>
      api.POST('/v1/sessions/{sessionId}/usage', { params: { path: { sessionId: nowhere } }, body: { tokens: 0 } }),
    admin: () => api.GET('/v1/api-keys', { params: { query: { limit: 1 } } }),
  };
  const scopes: string[] = [];
  for (const [scope, look] of Object.entries(looks)) {
    const code = await look().then(() => null, codeOf);
    if (code === 'unauthenticated') return unknownKey(apiKey);
    if (code !== 'forbidden') scopes.push(scope);
  }
  const key = apiKey === undefined ? 'no key is needed; without one you have' : 'it has';
  if (scopes.includes('run')) return ok('key', `${key} ${scopes.join(', ')}`);
  return warning('key', `${key} ${scopes.join(', ') || 'no scope'}`, 'running code needs a key with the scope run');
}

/** A problem in the place of an answer, of which a missing session is one; anything else is a failure. */
function codeOf(error: unknown): string {
  if (error instanceof HoldfastError && error.status !== undefined && error.status < 500) return error.code;
  throw error;
}

const unknownKey = (apiKey: string | undefined) =>
  apiKey === undefined
    ? fault(
        'key',
        'the server asks for one, and none is set',
        'set HOLDFAST_API_KEY, or store it with `holdfast servers add`',
      )
    : fault(
        'key',
        'the server does not know it, or it is revoked',
        'make another with `holdfast keys create`, by a key with the scope admin',
      );
