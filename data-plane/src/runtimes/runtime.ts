import type { CodeLanguage, EndReason, Network } from '@holdfast/specs/public';

/** What a sandbox is to be like. A repeat of `name` finds the same one, so whoever chooses it derives it from what the sandbox is for. */
export type SandboxSpec = {
  name: string;
  /** One of the runtime's. */
  profile: string;
  network: Network;
  /** It is to wait for its session, as long as the runtime lets sandboxes wait. */
  warm?: boolean;
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
  /** Why it ended, or what keeps it from starting, where the runtime knows. */
  cause?: SandboxCause;
};

/** A named reason, and beside it the runtime's own words. */
export type SandboxCause = { reason: EndReason; message: string };

/** What the operator offers: tenants ask for it by name. `languages` have their interpreters in it. */
export type Profile = { name: string; languages: readonly CodeLanguage[] };

/** How many sandboxes are to be kept ready. `template` changes with anything of which they are made. */
export type WarmPool = { profile: string; network: Network; size: number; template: string };

/** What the runtime can give; what it cannot is refused before anything is made. */
export type Capabilities = {
  /** The strongest first. */
  networks: readonly Network[];
  /** A session without a wish gets the first that has its language. */
  profiles: readonly Profile[];
  warmPools: readonly WarmPool[];
  /** Whether sandboxes end with an orderly stop of the data-plane. */
  sandboxesEndWithDataPlane: boolean;
};

/** Launches sandboxes; modelled on a pod API. Every method may be repeated; "already gone" is success. */
export interface Runtime {
  readonly name: 'process' | 'container' | 'kubernetes';
  readonly capabilities: Capabilities;
  /**
   * Launches, or finds the one of that name. Resolves as soon as it has an endpoint; the agent need not answer yet.
   * @throws SandboxError, or `signal`'s reason; then nothing of it is left, or will be once the runtime can be reached.
   */
  launch(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox>;
  /** The sandbox of that name, or null where there is none. */
  inspect(name: string): Promise<Sandbox | null>;
  /** All sandboxes of this deployment, complete; throws rather than leave one out. */
  list(): Promise<Sandbox[]>;
  /** Ends this incarnation with all its processes and resolves once they are gone. */
  destroy(sandbox: SandboxKey): Promise<void>;
  /** Why an incarnation has ended or is gone, for who knows that no replica has destroyed it. */
  explain(sandbox: SandboxKey): Promise<SandboxCause>;
  /** Says *look at it*: the sandbox seems to have ended. May be wrong, late, repeated or left out. */
  onEnded(listener: (sandbox: SandboxKey) => void): void;
}

export type SandboxKey = { name: string; uid: string };

/** A sandbox that could not be had. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  readonly reason: EndReason;
  /** When it may work again, where that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: EndReason, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
