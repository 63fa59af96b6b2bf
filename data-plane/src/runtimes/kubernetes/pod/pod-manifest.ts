import type { V1EnvVar, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { profileEnvironment } from '../../parse-profiles.ts';
import { parseQuantity } from '../../parse-quantity.ts';
import type { Owner, SandboxSpec } from '../../runtime.ts';
import { sandboxUserId, type UidRange } from '../../sandbox-user-id.ts';
import { podLabels } from './pod-labels.ts';
import type { PodProfile } from './pod-profile.ts';

export type ManifestSettings = Owner & {
  namespace: string;
  uidRange: UidRange;
  /** The environment of every session-agent. The code in the sandbox can read it. */
  agentEnv: Readonly<Record<string, string>>;
  /** After this time the cluster ends the pod, even if no data-plane is left. */
  activeDeadlineSeconds: number;
  /** How long the agent of a warm sandbox waits for its session. */
  unboundSeconds: number;
};

export const agentPort = 8700;

/** A program in every runtime image. It becomes the init, whose only child is the session-agent. */
const agentProgram = '/opt/holdfast/run';

/**
 * The pod of a sandbox: one container under the restricted Pod Security Standard, with a read-only root and a user of its own. Nothing
 * in the manifest is secret or chosen by a tenant. Pure.
 */
export function podManifest(
  settings: ManifestSettings,
  { spec, profile }: { spec: SandboxSpec; profile: PodProfile },
): V1Pod {
  const { name, network } = spec;
  const { deployment, database } = settings;
  const labels = podLabels({ deployment, database, network, profile: profile.name });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: settings.namespace,
      labels: { ...profile.labels, ...labels },
      ...(Object.keys(profile.annotations).length > 0 && { annotations: profile.annotations }),
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      activeDeadlineSeconds: settings.activeDeadlineSeconds,
      terminationGracePeriodSeconds: savingSeconds + 2,
      ...placement(profile),
      ...(network === 'none' && withoutDns),
      securityContext: podSecurity(sandboxUserId(name, settings.uidRange)),
      containers: [
        {
          name: 'agent',
          image: profile.image,
          imagePullPolicy: profile.imagePullPolicy,
          command: ['prlimit', `--nproc=${profile.processesMax}`, agentProgram],
          workingDir: profile.workspacePath,
          env: environment(settings, { spec, profile }),
          ports: [{ name: 'agent', containerPort: agentPort, protocol: 'TCP' }],
          resources: profile.resources,
          securityContext: {
            privileged: false,
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [
            ...[...new Set([profile.workspacePath, defaultWorkspace])].map((mountPath) => ({
              name: 'workspace',
              mountPath,
            })),
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'workspace', emptyDir: { sizeLimit: profile.workspaceSizeLimit } },
        { name: 'tmp', emptyDir: { sizeLimit: profile.tmpSizeLimit } },
      ],
    },
  };
}

/** In every image, and the target of its link `/mnt/data`: both lead to the workspace, wherever the profile has it. */
const defaultWorkspace = '/workspace';

/** A drained node leaves its pods this time, in which the data-plane saves them. Our own deletions do not wait for it. */
const savingSeconds = 8;

function placement({ runtimeClassName, priorityClassName, ...profile }: PodProfile): Partial<V1PodSpec> {
  return {
    ...(runtimeClassName && { runtimeClassName }),
    ...(priorityClassName && { priorityClassName }),
    ...(Object.keys(profile.nodeSelector).length > 0 && { nodeSelector: profile.nodeSelector }),
    ...(profile.tolerations.length > 0 && { tolerations: profile.tolerations }),
    ...(profile.imagePullSecrets.length > 0 && { imagePullSecrets: profile.imagePullSecrets }),
  };
}

/** Disables DNS: the resolver is the pod's own loopback, which does not answer. So a lookup cannot carry data out. */
const withoutDns: Partial<V1PodSpec> = { dnsPolicy: 'None', dnsConfig: { nameservers: ['127.0.0.1'] } };

const podSecurity = (uid: number) => ({
  runAsNonRoot: true,
  runAsUser: uid,
  runAsGroup: uid,
  fsGroup: uid,
  seccompProfile: { type: 'RuntimeDefault' },
});

/** The agent listens on the pod's own address, which works for IPv4 and for IPv6. */
function environment(
  settings: ManifestSettings,
  { spec: { warm }, profile }: { spec: SandboxSpec; profile: PodProfile },
): V1EnvVar[] {
  const ours = {
    HOLDFAST_AGENT_PORT: String(agentPort),
    TMPDIR: '/tmp',
    HOLDFAST_AGENT_SAVING_SECONDS: String(savingSeconds),
    ...profileEnvironment(profile),
    // The agent cannot see this limit, beyond which the cluster evicts the pod.
    HOLDFAST_OUTPUT_FILES_BYTES_MAX: String(Math.floor((parseQuantity(profile.tmpSizeLimit) ?? 0) / 4)),
    ...(warm && { HOLDFAST_AGENT_UNBOUND_SECONDS: String(settings.unboundSeconds) }),
  };
  return [
    ...Object.entries({ ...settings.agentEnv, ...ours }).map(([name, value]) => ({ name, value: literal(value) })),
    { name: 'HOLDFAST_SANDBOX_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    { name: 'HOLDFAST_AGENT_HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  ];
}

/** Kubernetes replaces `$(NAME)` in a value by another variable, and `$$` by `$`. */
const literal = (value: string) => value.replaceAll('$', () => '$$');
