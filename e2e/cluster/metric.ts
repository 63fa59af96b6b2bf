import type { ReplicaClient } from './connect-holdfast.ts';

/** The sum over all replicas of a metric's series whose labels include the given ones. */
export async function metric(
  replicas: readonly Pick<ReplicaClient, 'metricsUrl'>[],
  name: string,
  labels: Record<string, string>,
) {
  const texts = await Promise.all(
    replicas.map(async ({ metricsUrl }) => (await fetch(`${metricsUrl}/metrics`)).text()),
  );
  const series = texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith(`${name}{`));
  return series
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
