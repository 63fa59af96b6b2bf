import type { ContainerInfo, ContainerInspectInfo } from 'dockerode';

/** A container as the engine describes it, in an inspection or in a list. */
export type EngineContainer = {
  id: string;
  /** Without the leading slash. */
  name: string;
  labels: Readonly<Record<string, string>>;
  /** `created`, `running`, `exited` or another of the engine's states. */
  status: string;
  /** Its address in its only network, or null while it has none. */
  address: string | null;
  /** In whole seconds, because lists are no more precise. */
  createdAt: Date;
  /** How it ended; null before that, and always null in a list. */
  end: ContainerEnd | null;
};

export type ContainerEnd = { exitCode: number; oomKilled: boolean; error: string; finishedAt: Date };

/** Pure. */
export function inspectedContainer({
  Id,
  Name,
  Config,
  State,
  Created,
  NetworkSettings,
}: ContainerInspectInfo): EngineContainer {
  const { ExitCode, OOMKilled, Error: error, FinishedAt } = State;
  const end = { exitCode: ExitCode, oomKilled: OOMKilled, error, finishedAt: new Date(FinishedAt) };
  return {
    id: Id,
    name: Name.replace(/^\//, ''),
    labels: Config.Labels ?? {},
    status: State.Status,
    address: addressIn(NetworkSettings.Networks),
    createdAt: new Date(Math.floor(Date.parse(Created) / 1000) * 1000),
    end: hasEnded(State.Status) ? end : null,
  };
}

/** Pure. */
export function listedContainer({
  Id,
  Names,
  Labels,
  State,
  Created,
  NetworkSettings,
}: ContainerInfo): EngineContainer {
  return {
    id: Id,
    name: (Names[0] ?? '').replace(/^\//, ''),
    labels: Labels ?? {},
    status: State,
    address: addressIn(NetworkSettings?.Networks),
    createdAt: new Date(Created * 1000),
    end: null,
  };
}

/** Pure. */
export const isStarting = (status: string) => ['created', 'configured', 'initialized', 'init'].includes(status);

/** A container that an operator has paused has not ended. Pure. */
export const isRunning = (status: string) => status === 'running' || status === 'paused';

/** Pure. */
export const hasEnded = (status: string) => !isStarting(status) && !isRunning(status);

function addressIn(networks: Record<string, { IPAddress: string }> | undefined | null): string | null {
  return Object.values(networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress ?? null;
}
