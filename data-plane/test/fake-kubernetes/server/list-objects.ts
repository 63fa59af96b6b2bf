import type { Faults } from '../faults.ts';
import type { Collection } from './collection.ts';
import { kinds, type ObjectMeta, type Resource } from './objects.ts';
import { badRequest, cannotNow, expiredContinue } from './refusal.ts';
import type { ApiRequest } from './request.ts';
import { selection } from './selectors.ts';

type Listed = { metadata: ObjectMeta };
type Place = { version: number; after: string };

/** Answers lists of one kind in pages. All pages show the version of the first; once that was dropped, the next page is refused. */
export function createLists<T extends Listed>(collection: Collection<T>, deps: { faults: Faults; resource: Resource }) {
  const snapshots = new Map<number, T[]>();

  /** @throws Refusal 410 for a `continue` of a dropped version, 504 for a future version */
  return (request: ApiRequest) => {
    const { query } = request;
    if (Number(query.get('resourceVersion')) > collection.latestVersion()) throw cannotNow(504);
    const place = placeOf(query.get('continue'));
    if (place) refuseIfExpired(place, request);
    const version = place?.version ?? collection.latestVersion();
    const everything = (place && snapshots.get(place.version)) ?? collection.all();
    const rest = everything.filter(selection(query)).filter(({ metadata }) => metadata.name > (place?.after ?? ''));
    const items = rest.slice(0, Number(query.get('limit')) || undefined);
    const left = rest.length - items.length;
    if (left > 0) snapshots.set(version, everything);
    const after = items.at(-1)?.metadata.name ?? '';
    return {
      kind: `${kinds[deps.resource]}List`,
      apiVersion: 'v1',
      metadata: {
        resourceVersion: String(version),
        ...(left > 0 && { continue: token({ version, after }), remainingItemCount: left }),
      },
      items,
    };
  };

  function refuseIfExpired({ version, after }: Place, request: ApiRequest): void {
    const expired = !collection.remembers(version) || deps.faults.take('expireContinue', request);
    if (!expired) return;
    snapshots.delete(version);
    throw expiredContinue(token({ version: collection.latestVersion(), after }));
  }
}

const token = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');

function placeOf(text: string | null): Place | null {
  if (!text) return null;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw badRequest('continue key is not valid');
  }
}
