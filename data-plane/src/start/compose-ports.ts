import { Problem } from '@holdfast/specs/public';
import type { Config } from '../config/parse-config.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { admitVisit } from '../ports/admit-visit.ts';
import { type ConnectDependencies, connectVisit } from '../ports/connect-visit.ts';
import { listPorts } from '../ports/list-ports.ts';
import { openPort } from '../ports/open-port.ts';
import { createOpenPorts } from '../ports/open-ports.ts';
import { createPortTraffic } from '../ports/port-traffic.ts';
import { createPreviewHosts } from '../ports/preview-hosts.ts';
import { revokePort } from '../ports/revoke-port.ts';
import type { composeAccess } from './compose-access.ts';
import type { Core } from './compose-core.ts';
import type { Reconciling } from './compose-reconciling.ts';
import { rethrowTranslated } from './translate-errors.ts';

type PortsInput = {
  config: Config;
  core: Core;
  reconciling: Reconciling;
  access: Pick<ReturnType<typeof composeAccess>, 'verbs' | 'openRequests'>;
};

/** The verbs of ports, and what the proxy for their visitors needs. */
export function composePorts({ config, core, reconciling: { reconciler }, access }: PortsInput) {
  const hosts = config.preview && createPreviewHosts(config.preview);
  const ownPorts = new Set<number>();
  const deps = {
    ...core,
    hosts,
    hint: reconciler.hint,
    authenticate: access.verbs.authenticate,
    openRequests: access.openRequests,
    openPorts: createOpenPorts(core),
    traffic: createPortTraffic(core),
    visits: { bySession: new Map(), byTenant: new Map(), count: 0 } satisfies ConnectDependencies['visits'],
    refuseOwnPort(port: number) {
      if (ownPorts.has(port)) throw new Problem('forbidden', { detail: `port ${port} belongs to Holdfast itself` });
    },
  };
  const verbs = {
    openPort: (input) => openPort(deps, input),
    listPorts: (input) => listPorts(deps, input),
    revokePort: (input) => revokePort(deps, input),
  } satisfies Partial<Verbs>;
  return {
    verbs,
    /** Null: ports have no domain. */
    visits: hosts && {
      hosts,
      admitVisit: (visit: Parameters<typeof admitVisit>[1]) => admitVisit(deps, visit).catch(rethrowTranslated),
      connectVisit: (asked: Parameters<typeof connectVisit>[1]) => connectVisit(deps, asked).catch(rethrowTranslated),
    },
    /** On a runtime whose sandboxes have the loopback of this machine, these are not to be visited through a sandbox. */
    keepOwnPorts(ports: readonly number[]) {
      if (core.runtime.name === 'process') for (const port of ports) ownPorts.add(port);
    },
    close: () => deps.traffic.close(),
  };
}
