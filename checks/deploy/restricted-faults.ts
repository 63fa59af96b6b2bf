/** The fields of a pod that the restricted Pod Security Standard and this project ask for. */
export type PodSpec = {
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  securityContext?: SecurityContext;
  volumes?: Record<string, unknown>[];
  initContainers?: Container[];
  containers: Container[];
};

type Container = { name: string; securityContext?: SecurityContext; ports?: { hostPort?: number }[] };

type SecurityContext = {
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seccompProfile?: { type?: string };
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  readOnlyRootFilesystem?: boolean;
  capabilities?: { drop?: string[]; add?: string[] };
};

/** The ways in which a pod violates the restricted standard, a read-only root or the rule against service links. Pure. */
export function restrictedFaults(pod: PodSpec): string[] {
  const faults = {
    'shares a namespace of its node': pod.hostNetwork || pod.hostPID || pod.hostIPC,
    'may run as root': !pod.securityContext?.runAsNonRoot || !pod.securityContext.runAsUser,
    'has no seccomp profile': pod.securityContext?.seccompProfile?.type !== 'RuntimeDefault',
    'gets service links': pod.enableServiceLinks !== false,
    'does not say whether it gets a token': pod.automountServiceAccountToken === undefined,
    'mounts a folder of its node': pod.volumes?.some((volume) => 'hostPath' in volume),
  };
  return [...named(faults), ...[...(pod.initContainers ?? []), ...pod.containers].flatMap(containerFaults)];
}

function containerFaults({ name, ports, securityContext: security = {} }: Container): string[] {
  const faults = {
    'is privileged': security.privileged,
    'may escalate privileges': security.allowPrivilegeEscalation !== false,
    'writes to its root': !security.readOnlyRootFilesystem,
    'has capabilities': !security.capabilities?.drop?.includes('ALL') || security.capabilities.add?.length,
    'may run as root after all': security.runAsNonRoot === false || security.runAsUser === 0,
    'takes a port of its node': ports?.some(({ hostPort }) => hostPort),
  };
  return named(faults).map((fault) => `${name} ${fault}`);
}

const named = (faults: Record<string, unknown>) =>
  Object.entries(faults).flatMap(([text, applies]) => (applies ? [text] : []));
