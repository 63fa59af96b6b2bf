import { create } from './create/create.ts';
import { kubernetes } from './kubernetes/kubernetes.ts';
import { latency } from './latency/latency.ts';
import { memory } from './memory/memory.ts';
import { recovery } from './recovery/recovery.ts';
import { registry } from './registry/registry.ts';
import type { Scenario } from './scenario.ts';
import { sessions } from './sessions/sessions.ts';
import { streaming } from './streaming/streaming.ts';
import { throughput } from './throughput/throughput.ts';

/** All scenarios, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  latency,
  streaming,
  create,
  throughput,
  sessions,
  registry,
  memory,
  recovery,
  kubernetes,
];
