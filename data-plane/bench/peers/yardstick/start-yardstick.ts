import { join } from 'node:path';
import { Client } from 'undici';
import type { Stage } from '../../stage/stage.ts';
import { startProgram } from '../../stage/start-program.ts';
import type { Peer } from '../peer.ts';

/** As the process runtime and the images start an agent. */
const agentFlags = ['--disable-sigusr1', '--single-threaded', '--max-semi-space-size=1'];

const program = (name: string) => join(import.meta.dirname, name);

export type Yardstick = Awaited<ReturnType<typeof startYardstick>>;

/** Starts the leanest program that does a step's work: two HTTP hops, a Python behind two pipes, and a durable row, on the stage's Postgres. */
export async function startYardstick(
  { python, database, defer }: Pick<Stage, 'python' | 'database' | 'defer'>,
  { sessions }: { sessions: number },
) {
  const agents = await Promise.all(
    Array.from({ length: sessions }, () =>
      startProgram({ defer }, { args: [...agentFlags, program('agent.ts')], env: { YARDSTICK_PYTHON: python } }),
    ),
  );
  const dataPlane = await startProgram(
    { defer },
    {
      args: [program('data-plane.ts'), ...agents.map(({ port }) => String(port))],
      env: { YARDSTICK_DATABASE: JSON.stringify((await database()).address) },
    },
  );
  const origin = `http://127.0.0.1:${dataPlane.port}`;

  /** One of its sessions, with a connection of its own. */
  function peer(session: number): Peer {
    const connection = new Client(origin);
    defer(() => connection.close());
    return {
      name: 'yardstick',
      hides: ['output'],
      // An error would end its Python.
      canRun: ({ language, error }) => language === 'python' && error === null,
      async run({ code }) {
        const { body } = await connection.request({
          method: 'POST',
          path: `/${session}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ code }),
        });
        const { r } = JSON.parse(await body.text());
        return { output: '', result: r === 'None' ? null : r, error: null };
      },
    };
  }

  return { pid: dataPlane.pid, agentPids: agents.map(({ pid }) => pid), peer };
}
