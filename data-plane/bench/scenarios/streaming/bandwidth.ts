import { childrenOf, cpuMetrics, cpuTimes, type StepProcesses } from '../../measure/cpu-times.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Product } from '../../stage/start-product.ts';
import type { StreamedSession, StreamingPeer } from './streaming-peers.ts';

const line = `${'x'.repeat(62_499)}\n`;

const code = (bytes: number) =>
  `import sys\nline = "x" * 62_499 + "\\n"\nfor _ in range(${bytes / line.length}): _ = sys.stdout.write(line)`;

/** A step shows up to 8 MiB of output in full. */
const shown = 7_000_000;
const large = 16_000_000;

/** Resolves with the number of bytes of output that arrived. */
type Way = { peer: string; check?(): Promise<void>; read(): Promise<number> };

/**
 * Megabytes of output per second, from the request to the last byte, and the CPU of the product for it. If there are more than 8 MiB, a step
 * of Holdfast shows the beginning and the end, and a second request reads the output whole from the sandbox.
 */
export async function measureBandwidth(
  stage: Stage,
  plan: Plan,
  { peers, holdfast, session }: { peers: readonly StreamingPeer[]; holdfast: Product; session: StreamedSession },
): Promise<void> {
  const { postmaster } = await stage.database();
  const processes = { dataPlane: holdfast.pid, agents: childrenOf(holdfast.pid), postmaster };
  const measure = (name: string, bytes: number, ways: Way[]) =>
    runRounds(stage, {
      scenario: 'streaming',
      case: name,
      rounds: roundsOf(plan, { smoke: 2, full: 20 }),
      warmUp: amount(plan, { smoke: 1, full: 3 }),
      contestants: ways.map(({ check, ...way }) => ({
        peer: way.peer,
        ...(check && { check }),
        measure: () => bandwidth(way, { bytes, processes: way.peer === product ? processes : null }),
      })),
    });
  let stepId = '';
  const runAndRead = async () => {
    stepId = (await session.stream(code(large), () => {})).id;
    return await session.readOutput(stepId);
  };

  await measure('7 MB as events', shown, peers.map(streamed(shown)));
  await measure('7 MB as one answer', shown, peers.map(answered(shown)));
  await measure('16 MB', large, [{ peer: product, read: runAndRead }, ...peers.slice(1).map(streamed(large))]);
  await measure('16 MB of stored output', large, [{ peer: product, read: () => session.readOutput(stepId) }]);
}

const streamed =
  (bytes: number) =>
  ({ name, stream }: StreamingPeer): Way => ({
    peer: name,
    async check() {
      const output: string[] = [];
      await stream(code(bytes), (text) => output.push(text));
      refuseOther(name, { output: output.join(''), bytes });
    },
    async read() {
      let length = 0;
      await stream(code(bytes), (text) => {
        length += text.length;
      });
      return length;
    },
  });

const answered =
  (bytes: number) =>
  ({ name, read }: StreamingPeer): Way => ({
    peer: name,
    check: async () => refuseOther(name, { output: await read(code(bytes)), bytes }),
    read: async () => (await read(code(bytes))).length,
  });

function refuseOther(name: string, { output, bytes }: { output: string; bytes: number }): void {
  if (output !== line.repeat(bytes / line.length)) throw new Error(`${name} gave other output than the code printed`);
}

type Expected = { bytes: number; processes: StepProcesses | null };

async function bandwidth({ peer, read }: Way, { bytes, processes }: Expected): Promise<Measured[]> {
  const before = processes && cpuTimes(processes);
  const start = performance.now();
  const given = await read();
  const seconds = (performance.now() - start) / 1000;
  const after = processes && cpuTimes(processes);
  if (given !== bytes) throw new Error(`${peer} gave ${given} bytes of output, not ${bytes}`);
  const cpu = cpuMetrics.map((metric): Measured[] =>
    before && after ? [{ metric, value: after[metric] - before[metric], unit: 'ms' }] : [],
  );
  return [{ metric: 'bandwidth', value: bytes / 1e6 / seconds, unit: 'MB/s' }, ...cpu.flat()];
}
