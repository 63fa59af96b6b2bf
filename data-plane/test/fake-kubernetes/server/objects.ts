/** The fields of Kubernetes' objects that the fake and its tests read. Other fields that a client sends are stored unchanged. */
export type ObjectMeta = {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  labels?: Record<string, string>;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
};

export type EnvVar = { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } };

type ContainerSpec = { name: string; image: string; env?: EnvVar[] };

type ContainerState = {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: Terminated;
};

export type Terminated = {
  exitCode: number;
  signal?: number;
  reason: string;
  message?: string;
  startedAt: string;
  finishedAt: string;
};

export type ContainerStatus = { name: string; ready: boolean; started: boolean; state: ContainerState };

export type Condition = { type: string; status: 'True' | 'False'; reason?: string; message?: string };

export type Pod = {
  metadata: ObjectMeta;
  spec: {
    containers: ContainerSpec[];
    nodeName?: string;
    runtimeClassName?: string;
    terminationGracePeriodSeconds: number;
    activeDeadlineSeconds?: number;
  };
  status: {
    phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
    reason?: string;
    message?: string;
    podIP?: string;
    podIPs?: { ip: string }[];
    startTime?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
  };
};

/** `Event` of the core group. */
export type PodEvent = {
  metadata: ObjectMeta;
  involvedObject: { kind: 'Pod'; apiVersion: 'v1'; namespace: string; name: string; uid: string };
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string };
};

/** The kinds, by the resource names in paths. */
export const kinds = { pods: 'Pod', events: 'Event' } as const;
export type Resource = keyof typeof kinds;

/** Kubernetes' times have no fractions of a second. */
export const timestamp = (date = new Date()): string => date.toISOString().replace(/\.\d+Z$/, 'Z');
