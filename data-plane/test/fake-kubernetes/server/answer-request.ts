import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Faults } from '../faults.ts';
import type { Collection } from './collection.ts';
import { type Admission, createPod } from './create-pod.ts';
import { type DeleteOptions, deletePod } from './delete-pod.ts';
import { createLists } from './list-objects.ts';
import { kinds, type Pod, type PodEvent, type Resource } from './objects.ts';
import { forbidden, notFound, Refusal } from './refusal.ts';
import { type ApiRequest, jsonBody } from './request.ts';
import type { Watches } from './watch-objects.ts';

type Deps = {
  namespace: string;
  pods: Collection<Pod>;
  events: Collection<PodEvent>;
  watches: Watches;
  faults: Faults;
  admission: Admission;
};
type Exchange = { request: ApiRequest; incoming: IncomingMessage; response: ServerResponse };

/** The verbs that a data-plane's Role allows. */
const allowed: Record<Resource, readonly string[]> = {
  pods: ['create', 'get', 'list', 'watch', 'delete'],
  events: ['get', 'list', 'watch'],
};

/** Creates the function that answers an authenticated request with a status and a body, or with null if a watch uses the response. */
export function createAnswer(deps: Deps) {
  const lists = {
    pods: createLists(deps.pods, { faults: deps.faults, resource: 'pods' }),
    events: createLists(deps.events, { faults: deps.faults, resource: 'events' }),
  };

  return async (exchange: Exchange): Promise<{ code: number; body: object } | null> => {
    const { request, incoming, response } = exchange;
    const { resource, name } = request;
    if (request.path === '/version') return { code: 200, body: version };
    if (!resource) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
    if (request.namespace !== deps.namespace || request.subresource || !allowed[resource].includes(request.verb)) {
      const verb = `${request.verb} resource "${resource}" in the namespace "${request.namespace}"`;
      throw forbidden({ resource, name }, `User "holdfast" cannot ${verb}`);
    }
    if (request.verb === 'list') return { code: 200, body: lists[resource](request) };
    if (request.verb === 'get') {
      const object = deps[resource].find(name);
      if (!object) throw notFound({ resource, name });
      return { code: 200, body: shown(resource, object) };
    }
    if (request.verb === 'watch') {
      if (resource === 'pods') deps.watches.serve({ collection: deps.pods, request, response });
      else deps.watches.serve({ collection: deps.events, request, response });
      return null;
    }
    const body = await jsonBody(incoming);
    if (request.verb === 'create') {
      const dryRun = request.query.get('dryRun') === 'All';
      return { code: 201, body: shown('pods', createPod(deps, { body, dryRun })) };
    }
    const grace = request.query.get('gracePeriodSeconds');
    const options: DeleteOptions = { ...(grace !== null && { gracePeriodSeconds: Number(grace) }), ...body };
    return { code: 200, body: shown('pods', deletePod(deps.pods, { name, options })) };
  };
}

const version = { major: '1', minor: '36', gitVersion: 'v1.36.0', platform: 'linux/amd64' };

/** Only a single object names its kind; objects in a list do not. */
const shown = (resource: Resource, object: object) => ({ kind: kinds[resource], apiVersion: 'v1', ...object });
