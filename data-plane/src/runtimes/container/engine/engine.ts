import type { Readable } from 'node:stream';
import type { Network } from '@holdfast/specs/public';
import Docker, { type ContainerCreateOptions } from 'dockerode';
import type { Owner } from '../../runtime.ts';
import { callEngine, nullIfMissing } from './call-engine.ts';
import type { EngineAddress } from './engine-address.ts';
import { type EngineContainer, inspectedContainer, listedContainer } from './engine-container.ts';
import { EngineError, engineError } from './engine-error.ts';
import { type EngineEvent, engineEvents } from './engine-events.ts';
import { isOurs, ownerLabels, ownLabels } from './labels.ts';
import { createLibpod } from './libpod.ts';
import { dockerNetwork, podmanNetwork } from './network-options.ts';
import type { Block } from './subnets.ts';

export type Engine = ReturnType<typeof createEngine>;

/** Under load, an engine takes seconds to create a container. */
const changeMs = 30_000;
const readMs = 10_000;

/**
 * All calls to the engine. Every call but `createContainer` and `createNetwork` may be repeated; if one of those is repeated, it finds the
 * name taken.
 * @throws EngineError, also if a read takes longer than 10 s or a change longer than 30 s
 */
export function createEngine(address: EngineAddress, owner: Owner) {
  // Explicit, so that the client library does not read them from its environment.
  const docker = new Docker({ socketPath: undefined, host: undefined, port: undefined, ...address } as object);
  const libpod = createLibpod(docker);
  // No filter has both containers with a label and containers without it, so the database is checked afterwards.
  const ofDeployment = { label: [`${ownLabels.deployment}=${owner.deployment}`] };

  return {
    /** The engine that answers. Ask again when it matters: an operator may replace the engine. Podman takes up to seconds to answer. */
    async version(): Promise<{ name: 'docker' | 'podman'; version: string }> {
      const { Version, Components } = await callEngine(
        readMs,
        (abort) => docker.version(abort as never) as unknown as Promise<Docker.DockerVersion>,
      );
      const isPodman = Components?.some(({ Name }) => Name === 'Podman Engine') ?? false;
      return { name: isPodman ? 'podman' : 'docker', version: Version };
    },

    /** @throws EngineError `name-taken`, `no-image` */
    createContainer: (options: ContainerCreateOptions): Promise<{ id: string }> =>
      callEngine(changeMs, (abort) => docker.createContainer({ ...options, ...abort })),

    /** Does nothing if the container already runs. */
    async startContainer(id: string): Promise<void> {
      await callEngine(changeMs, (options) => docker.getContainer(id).start(options)).catch(unlessNotModified);
    },

    /** Finds a container by name or id, or returns null. */
    async inspectContainer(name: string): Promise<EngineContainer | null> {
      const found = await nullIfMissing(callEngine(readMs, (options) => docker.getContainer(name).inspect(options)));
      return found && inspectedContainer(found);
    },

    /** All our containers, in any state. */
    async listContainers(): Promise<EngineContainer[]> {
      const wanted = { all: true, filters: JSON.stringify(ofDeployment) };
      const found = await callEngine(readMs, (abort) => docker.listContainers({ ...wanted, ...abort } as object));
      return found.map(listedContainer).filter(({ labels }) => isOurs(owner, labels));
    },

    /** Kills the container's processes first. Succeeds if the container is already gone. */
    async removeContainer(id: string): Promise<void> {
      const wanted = { force: true, v: true };
      await nullIfMissing(callEngine(changeMs, (abort) => docker.getContainer(id).remove({ ...wanted, ...abort })));
    },

    /** @throws EngineError `subnet-taken` */
    async createNetwork(wanted: Block & { uid: string; network: Network }): Promise<void> {
      const isPodman = await callEngine(readMs, libpod.answers);
      await callEngine<unknown>(changeMs, (abort) =>
        isPodman
          ? libpod.createNetwork(podmanNetwork({ ...wanted, owner }), abort)
          : docker.createNetwork({ ...dockerNetwork({ ...wanted, owner }), ...abort }),
      );
    },

    /** Succeeds if the network is already gone. @throws EngineError `refused` while a container is in it */
    async removeNetwork(name: string): Promise<void> {
      await nullIfMissing(callEngine(changeMs, (options) => docker.getNetwork(name).remove(options)));
    },

    /** All networks that carry our database. One without the label may be another owner's. */
    async listNetworks(): Promise<{ name: string; uid: string; createdAt: Date }[]> {
      const label = Object.entries(ownerLabels(owner)).map(([name, value]) => `${name}=${value}`);
      const filters = JSON.stringify({ label });
      const found = await callEngine(readMs, (abort) => docker.listNetworks({ filters, ...abort } as object));
      return found
        .filter(({ Labels }) => Labels?.[ownLabels.database] === owner.database)
        .map(({ Name, Labels, Created }) => ({
          name: Name,
          uid: Labels?.[ownLabels.uid] ?? '',
          createdAt: new Date(Created),
        }));
    },

    async hasImage(image: string): Promise<boolean> {
      const found = await nullIfMissing(
        callEngine(readMs, (options) => docker.getImage(image).inspect(options as object) as Promise<unknown>),
      );
      return found !== null;
    },

    /** @throws EngineError `no-image` with the registry's message, or `signal`'s reason */
    async pullImage(image: string, signal: AbortSignal): Promise<void> {
      const fault = await pull(image, signal).catch((cause) => {
        if (signal.aborted) throw signal.reason;
        return engineError(cause).message;
      });
      if (fault) throw new EngineError('no-image', `image ${image} cannot be pulled: ${fault}`);
    },

    /** Everything that happens to our containers from now on, until the engine stops. Resolves once the stream is open. */
    async events(signal: AbortSignal): Promise<AsyncIterable<EngineEvent>> {
      const filters = JSON.stringify({ ...ofDeployment, type: ['container'] });
      const stream = await callEngine(readMs, (abort) => docker.getEvents({ filters, ...abort } as object), signal);
      return engineEvents(stream as Readable, { signal, isOurs: ({ labels }) => isOurs(owner, labels) });
    },
  };

  async function pull(image: string, signal: AbortSignal): Promise<string | null> {
    const options = { ...(!/@|:[^/]+$/.test(image) && { tag: 'latest' }), abortSignal: signal };
    const progress = await docker.pull(image, options as object);
    const steps = await new Promise<{ error?: string }[]>((resolve, reject) => {
      docker.modem.followProgress(progress, (error, all) => (error ? reject(error) : resolve(all)));
    });
    return steps.find(({ error }) => error)?.error ?? null;
  }
}

/** The client library treats 304 Not Modified as a failure. */
function unlessNotModified(error: unknown): void {
  const { cause } = error as { cause?: { statusCode?: number } };
  if (cause?.statusCode !== 304) throw error;
}
