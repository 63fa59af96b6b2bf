import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type KubernetesObject, objectsOf } from './kubernetes-object.ts';

export const deployFolder = join(import.meta.dirname, '../../deploy');
export const chart = join(deployFolder, 'helm/holdfast');

const valuesFolder = join(import.meta.dirname, 'values');

/** The objects that `kubectl apply -k` would send. @param folder below deploy/kustomize */
export async function kustomized(folder: string): Promise<KubernetesObject[]> {
  return objectsOf(await runTool('kubectl', ['kustomize', join(deployFolder, 'kustomize', folder)]));
}

/**
 * The objects that `helm install holdfast` into the namespace holdfast would send to a current cluster.
 * @param values files of the folder values/, without their extension
 */
export async function templated(values: string[], ...options: string[]): Promise<KubernetesObject[]> {
  return objectsOf(await templatedText(values, ...options));
}

/** The same as YAML, in which `1e+06` still differs from `1000000`: Kubernetes rejects the first as a whole number. */
export async function templatedText(values: string[], ...options: string[]): Promise<string> {
  const files = values.map((name) => `--values=${join(valuesFolder, name)}.yaml`);
  const command = ['template', 'holdfast', chart, '--namespace=holdfast', '--kube-version=1.37', ...files, ...options];
  return await runTool('helm', command);
}

/** Runs a tool and returns its output. @throws Error with the tool's stderr */
export async function runTool(name: 'helm' | 'kubectl', args: string[]): Promise<string> {
  const tools = process.env.HOLDFAST_KUBERNETES_TOOLS;
  if (!tools) throw new Error('HOLDFAST_KUBERNETES_TOOLS is not set; checks/deploy/run sets it');
  const { stdout } = await promisify(execFile)(join(tools, name), args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}
