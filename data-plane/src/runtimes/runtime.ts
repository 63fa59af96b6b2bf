import type { CodeLanguage, EndReason, Network } from '@holdfast/specs/public';

/** The sandbox to launch. A second launch under the same `name` finds the first sandbox, so the caller derives the name from its purpose. */
export type SandboxSpec = {
  name: string;
  /** The name of one of the runtime's profiles. */
  profile: string;
  network: Network;
  /** The sandbox waits for its session, for as long as the runtime allows. */
  warm?: boolean;
};

/** A sandbox as its runtime sees it now. `uid` names its incarnation and is never used twice. */
export type Sandbox = {
  name: string;
  uid: string;
  node: string;
  /** `http://address:port` of the session-agent, or null until it has one. */
  endpoint: string | null;
  phase: 'starting' | 'running' | 'ended';
  /** When it was launched. */
  createdAt: Date;
  /** Why it ended, or why it does not start, if the runtime knows. */
  cause?: SandboxCause;
  /** It was launched by a version that did not write down the database. Only a registry that knows its uid can tell whose it is. */
  isUnidentified?: true;
};

/**
 * The owner of sandboxes: the data-planes that share this database. Every sandbox carries both. A runtime neither shows nor
 * touches the sandboxes of another owner.
 */
export type Owner = {
  deployment: string;
  /** The identity of the database. Two databases may have data-planes of the same deployment name. */
  database: string;
};

/** A named reason, and the runtime's own message beside it. */
export type SandboxCause = { reason: EndReason; message: string };

/**
 * A kind of sandbox that the operator offers. Tenants ask for it by name. It contains the interpreters of `languages`. Without `workspacePath`,
 * each sandbox has its workspace in a place of its own.
 */
export type Profile = { name: string; languages: readonly CodeLanguage[]; workspacePath?: string };

/** A number of sandboxes to have ready. `template` changes whenever the sandboxes would be made differently. */
export type WarmPool = { profile: string; network: Network; size: number; template: string };

/** The options that the runtime supports. A request for anything else is refused before anything is created. */
export type Capabilities = {
  /** The strongest class first. */
  networks: readonly Network[];
  /** A session that names no profile gets the first one with its language. */
  profiles: readonly Profile[];
  warmPools: readonly WarmPool[];
  /** Whether sandboxes end with an orderly stop of the data-plane. */
  sandboxesEndWithDataPlane: boolean;
};

/** Launches and destroys sandboxes; modelled on a pod API. Every method may be repeated; "already gone" is success. */
export interface Runtime {
  readonly name: 'process' | 'container' | 'kubernetes';
  readonly capabilities: Capabilities;
  /**
   * Launches a sandbox, or finds the one with that name. Resolves as soon as it has an endpoint; the agent need not answer yet.
   * @throws SandboxError, or `signal`'s reason; then nothing of the sandbox is left, or it is removed once the runtime can be reached
   */
  launch(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox>;
  /** The sandbox with that name, or null if there is none. */
  inspect(name: string): Promise<Sandbox | null>;
  /** All sandboxes of this owner. Throws if the list would not be complete. */
  list(): Promise<Sandbox[]>;
  /** Ends this incarnation with all its processes and resolves once they are gone. */
  destroy(sandbox: SandboxKey): Promise<void>;
  /** Why an incarnation has ended or is gone. Call this only if no replica has destroyed it. */
  explain(sandbox: SandboxKey): Promise<SandboxCause>;
  /** Hints that a sandbox seems to have ended, so check it. A hint may be wrong, late, repeated or missing. */
  onEnded(listener: (sandbox: SandboxKey) => void): void;
}

export type SandboxKey = { name: string; uid: string };

/** The runtime could not launch, find or destroy a sandbox. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  readonly reason: EndReason;
  /** When another attempt may succeed, if that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: EndReason, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
