import { Problem } from '@holdfast/specs/public';
import { isPortToken } from '../keys/port-token.ts';
import type { Seal } from '../keys/seal.ts';
import { decide } from '../policy/rules/decide.ts';
import { policyDenied } from '../policy/rules/policy-denied.ts';
import type { Caller } from '../sessions/caller.ts';
import type { OpenPort, OpenPorts } from './open-ports.ts';
import type { Place } from './preview-hosts.ts';

export type AdmitDependencies = {
  seal: Pick<Seal, 'verify'>;
  openPorts: Pick<OpenPorts, 'find' | 'findAnew'>;
  /** Finds the caller by the API key that was sent, null if none was. */
  authenticate(key: string | null): Caller | Promise<Caller>;
};

/** The credentials of a visitor. */
export type Visit = {
  place: Place;
  /** Tokens of links, from the address or from cookies. */
  tokens: readonly string[];
  /** The text in the place of an API key. It may be a key of the sandbox's server instead. */
  key: string | null;
  /** The bearer token that was sent, which is the key unless that has a header of its own. */
  bearer: string | null;
  /** Why the request seems to come from a web page of another site; null if it does not. */
  foreign: string | null;
};

export type AdmittedVisit = {
  port: OpenPort;
  /** The token that admits the visitor, if one does. */
  token: string | null;
  /** The API key that the visitor sent, whether or not it was needed; a server of a sandbox must not see it. */
  caller: Caller | null;
  /** Whether the bearer token is an API key, which a server of a sandbox must not see either. */
  isBearerOurs: boolean;
};

type Judged = Omit<AdmittedVisit, 'isBearerOurs'>;

/**
 * Decides whether a visitor may reach a port: everyone if it is public, else by the token of a link, else by an API key of the tenant.
 * @throws Problem 401, 403, 404
 */
export async function admitVisit(deps: AdmitDependencies, visit: Visit): Promise<AdmittedVisit> {
  const caller = await callerOf(deps, visit);
  const remembered = judge(deps, await deps.openPorts.find(visit.place), { visit, caller });
  const judged =
    remembered instanceof Problem
      ? judge(deps, await deps.openPorts.findAnew(visit.place), { visit, caller })
      : remembered;
  if (judged instanceof Problem) throw judged;
  return { ...judged, isBearerOurs: await isBearerOurs(deps, { visit, caller }) };
}

async function isBearerOurs(deps: AdmitDependencies, { visit, caller }: Omit<Asked, 'port'>): Promise<boolean> {
  const { key, bearer, foreign } = visit;
  if (bearer === null) return false;
  return (bearer === key ? caller : await callerOf(deps, { key: bearer, foreign })) !== null;
}

function judge(
  deps: Pick<AdmitDependencies, 'seal'>,
  open: readonly OpenPort[],
  { visit, caller }: Omit<Asked, 'port'>,
): Judged | Problem {
  if (open.length === 0) return new Problem('not-found', { detail: 'no port is open under this host name' });
  const [admitted] = byLongest(open).flatMap((port) => admittedBy(deps, { port, visit, caller }));
  if (!admitted) return refusal(open, caller);
  const decision = decide(admitted.port.policy, { operation: 'port.open' });
  return decision.allowed ? admitted : policyDenied(decision.rule);
}

type Asked = { port: OpenPort; visit: Visit; caller: Caller | null };

function admittedBy({ seal }: Pick<AdmitDependencies, 'seal'>, { port, visit, caller }: Asked): Judged[] {
  if (port.access === 'public') return [{ port, token: null, caller }];
  if (port.access === 'link') {
    const token = visit.tokens.find((one) => isPortToken(seal, one, port));
    return token === undefined ? [] : [{ port, token, caller }];
  }
  return caller && mayVisit(caller, port) ? [{ port, token: null, caller }] : [];
}

const mayVisit = (caller: Caller, { tenant }: OpenPort) => caller.tenant === tenant && caller.scopes.has('run');

/** The one that needs least and lasts longest comes first. */
const byLongest = (open: readonly OpenPort[]) =>
  open.toSorted((a, b) => order[a.access] - order[b.access] || b.endsAtMs - a.endsAtMs);

const order = { public: 0, link: 1, key: 2 } as const;

/** A request without a key may come from any page that the browser shows; a request with one may not. */
async function callerOf(
  { authenticate }: AdmitDependencies,
  { key, foreign }: Pick<Visit, 'key' | 'foreign'>,
): Promise<Caller | null> {
  if (key === null && foreign !== null) return null;
  try {
    return await authenticate(key);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

function refusal(open: readonly OpenPort[], caller: Caller | null): Problem {
  const needed = [...new Set(open.map(({ access }) => (access === 'link' ? 'its link' : 'an API key')))].join(' or ');
  if (caller && open.some(({ access, tenant }) => access === 'key' && tenant === caller.tenant))
    return new Problem('forbidden', { detail: 'an API key without the scope run does not let its bearer visit ports' });
  return new Problem('unauthenticated', { detail: `this port can be visited with ${needed}` });
}
