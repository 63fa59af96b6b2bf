import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** Any object of Kubernetes, with the fields that all kinds share. */
export type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the other fields depend on the kind, and the schema has checked them.
  [field: string]: any;
};

/** The objects of a stream of YAML documents. @throws YAMLParseError, also for a duplicate key */
export function objectsOf(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml, { uniqueKeys: true }).flatMap((document) => {
    for (const error of document.errors) throw error;
    const object = document.toJS();
    return object === null ? [] : [object];
  });
}

/** The one object of this kind, name and namespace. @throws Error */
export function theOne(objects: KubernetesObject[], kind: string, name: string, namespace = 'holdfast') {
  const wanted = [kind, name, namespace];
  const found = objects.filter(({ kind, metadata }) =>
    isDeepStrictEqual([kind, metadata.name, metadata.namespace], wanted),
  );
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} objects are ${wanted.join(' ')}`);
  return found[0];
}
