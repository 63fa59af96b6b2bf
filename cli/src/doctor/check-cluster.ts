import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, fault, ok, warning } from './finding.ts';

/** All rights that the data-plane needs, in the namespace of the sandboxes. */
const rights = [
  ...['create', 'get', 'list', 'watch', 'delete'].map((verb) => [verb, 'pods'] as const),
  ['list', 'events'] as const,
];

/** Asks the cluster of kubectl which rights the data-plane's account has. */
export async function checkCluster({
  namespace,
  account,
}: {
  namespace: string;
  account?: string | undefined;
}): Promise<Finding[]> {
  const as = account === undefined ? [] : [`--as=system:serviceaccount:${account}`];
  const canI = (verb: string, resource: string) => kubectl('auth', 'can-i', verb, resource, '-n', namespace, ...as);
  const missing: string[] = [];
  for (const [verb, resource] of rights) {
    const { answer, message } = await canI(verb, resource);
    if (answer === null) return [warning('cluster', message, 'install kubectl, or set KUBECONFIG to a cluster')];
    if (answer !== 'yes') missing.push(`${verb} ${resource}`);
  }
  const subject = account ?? 'the account of kubectl';
  if (missing.length === 0) return [ok('cluster', `${subject} has all rights in ${namespace}`)];
  const advice = 'apply the role of deploy/helm or deploy/kustomize';
  return [fault('cluster', `${subject} may not, in ${namespace}: ${missing.join(', ')}`, advice)];
}

/** kubectl says `no` with exit code 1. */
async function kubectl(...args: string[]): Promise<{ answer: string | null; message: string }> {
  try {
    const { stdout } = await promisify(execFile)('kubectl', [...args, '--request-timeout=10s']);
    return { answer: stdout.trim().split('\n').at(-1) ?? '', message: '' };
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    if (stdout.trim().startsWith('no')) return { answer: 'no', message: '' };
    return { answer: null, message: stderr.trim().split('\n').at(-1) || message };
  }
}
