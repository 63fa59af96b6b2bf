import type { Network } from '@holdfast/specs';

/** What a sandbox is to be like. `name` is derived from session id and epoch, so that a repeat finds the same one. */
export type SandboxSpec = {
  name: string;
  sessionId: string;
  epoch: number;
  network: Network;
};

/** A sandbox as its runtime sees it now. `uid` is its incarnation: never used twice. */
export type Sandbox = {
  name: string;
  uid: string;
  node: string;
  /** `http://address:port` of the session-agent, null until it has one. */
  endpoint: string | null;
  phase: 'starting' | 'running' | 'ended';
  /** When it was launched. */
  createdAt: Date;
  /** Why it ended, in the runtime's words. */
  message?: string;
};

/** What the runtime can give; what it cannot is refused before anything is made. Networks: the strongest first. */
export type Capabilities = {
  networks: readonly Network[];
  /** Whether sandboxes end with an orderly stop of the data-plane. */
  sandboxesEndWithDataPlane: boolean;
};

/** Launches sandboxes; modelled on a pod API. Every method may be repeated; "already gone" is success. */
export interface Runtime {
  readonly name: 'process' | 'container' | 'kubernetes';
  readonly capabilities: Capabilities;
  /** Launches, or finds the one of that name. Resolves as soon as it has an endpoint; the agent need not answer yet. */
  launch(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox>;
  /** The sandbox of that name, or null where there is none. */
  inspect(name: string): Promise<Sandbox | null>;
  /** All sandboxes of this deployment, complete; throws rather than leave one out. */
  list(): Promise<Sandbox[]>;
  /** Ends this incarnation with all its processes and resolves once they are gone. */
  destroy(sandbox: { name: string; uid: string }): Promise<void>;
}
