import type { ContainerInfo, ContainerInspectInfo } from 'dockerode';

/** A container as the engine shows it, by itself or in a list. */
export type EngineContainer = {
  id: string;
  /** Without the slash in front. */
  name: string;
  labels: Readonly<Record<string, string>>;
  /** `created`, `running`, `exited` and more, in the engine's words. */
  status: string;
  /** In its one network; null while it has none. */
  address: string | null;
  /** To a second, as lists have it. */
  createdAt: Date;
  /** How it ended; null before, and in a list. */
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

/** Somebody may have paused it: it has not ended then. Pure. */
export const isRunning = (status: string) => status === 'running' || status === 'paused';

/** Pure. */
export const hasEnded = (status: string) => !isStarting(status) && !isRunning(status);

function addressIn(networks: Record<string, { IPAddress: string }> | undefined | null): string | null {
  return Object.values(networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress ?? null;
}
