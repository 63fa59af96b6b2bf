import { removeDataDir } from '../../data-plane/test/support/remove-data-dir.ts';
import { type Holdfast, startHoldfast, temporaryDataDir } from '../../data-plane/test/support/start-holdfast.ts';
import { type Podman, startPodman } from './start-podman.ts';

export type OnEngine = Awaited<ReturnType<typeof startOnEngine>>;

/**
 * Starts Holdfast as a user does on one machine, on a Podman with the images of `runtime-images/` from the stores that
 * HOLDFAST_E2E_IMAGE_STORES names.
 */
export async function startOnEngine(env: Record<string, string> = {}) {
  const engine = await startPodman({
    imageStores: (process.env.HOLDFAST_E2E_IMAGE_STORES ?? '').split(':').filter(Boolean),
  });
  const dataDir = await temporaryDataDir();
  const start = () =>
    startHoldfast({
      HOLDFAST_RUNTIME: 'container',
      HOLDFAST_DATA_DIR: dataDir.path,
      DOCKER_SOCKET_PATH: engine.socketPath,
      HOLDFAST_LOG_LEVEL: 'info',
      ...env,
    });
  const dispose = async () => {
    await engine[Symbol.asyncDispose]();
    await removeDataDir(dataDir.path);
  };
  let holdfast = await start().catch(async (error) => {
    await dispose();
    throw error;
  });
  return {
    engine,
    get holdfast(): Holdfast {
      return holdfast;
    },

    /** Ends the data-plane in the given way and starts the next one with the same data. */
    async restart(how: 'stop' | 'kill'): Promise<void> {
      await holdfast[how]();
      holdfast = await start();
    },

    /** The containers and networks of ours that exist. */
    remains: () => remains(engine),

    async [Symbol.asyncDispose](): Promise<void> {
      await holdfast.stop();
      await dispose();
    },
  };
}

function remains({ podman }: Podman): string[] {
  const ours = ['--quiet', '--filter', 'label=holdfast.dev/deployment=holdfast'];
  const lists = [podman('ps', '--all', ...ours), podman('network', 'ls', ...ours)];
  return lists.flatMap((list) => list.split('\n')).filter(Boolean);
}
