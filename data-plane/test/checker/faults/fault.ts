import type { Random } from '../random.ts';
import type { Deployment } from '../stage/deployment.ts';
import type { PostgresServer } from '../stage/postgres-server.ts';
import type { Sandboxes } from '../stage/sandboxes.ts';

/** Faults that can overlap are in different lanes; those of one lane follow each other. */
export const lanes = {
  postgres: [
    'postgres-killed',
    'postgres-restarted',
    'postgres-frozen',
    'backend-killed',
    'backend-terminated',
    'logins-refused',
    'statements-refused',
    'disk-full',
  ],
  replicas: ['replica-killed', 'replica-paused', 'replica-slept', 'second-deployment-restarted'],
  connections: ['database-connections-cut', 'database-connections-silent'],
  sandboxes: [
    'agent-killed',
    'agent-paused',
    'kernel-killed',
    'kernel-paused',
    'agent-connections-cut',
    'agent-connections-silent',
  ],
} as const;

export type Lane = keyof typeof lanes;
export type FaultKind = (typeof lanes)[Lane][number];

export const faultKinds = Object.values(lanes).flat() as readonly FaultKind[];

/** A fault that has happened, with the fact that proves it. */
export type FaultRecord = {
  kind: FaultKind;
  /** The name of a replica, a deployment or the server; the session of a sandbox. */
  target: string;
  from: number;
  until: number;
  proof: string;
};

/** Everything that a fault can touch. */
export type Stage = {
  deployments: Deployment[];
  postgres: PostgresServer;
  sandboxes: Sandboxes;
  runsOf: () => Promise<string[]>;
  /** Lets many requests come at once. */
  rush: { begin(): void };
};

export type FaultInput = { stage: Stage; random: Random; round: number; hold(ms: number): Promise<void> };

/** Makes the fault, holds it and undoes it. Null if there was nothing to act on: then it did not happen. */
export type Fault = (input: FaultInput) => Promise<{ target: string; proof: string } | null>;
