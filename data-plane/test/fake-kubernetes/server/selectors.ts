import { badRequest } from './refusal.ts';

/** Tests whether an object matches a request's `labelSelector` and `fieldSelector`. Only `=`, `==` and `!=` are supported. */
export function selection(
  query: URLSearchParams,
): (object: { metadata: { labels?: Record<string, string> } }) => boolean {
  const labels = requirements(query.get('labelSelector'));
  const fields = requirements(query.get('fieldSelector'));
  return (object) =>
    labels.every(({ key, equal, value }) => (object.metadata.labels?.[key] === value) === equal) &&
    fields.every(({ key, equal, value }) => (fieldOf(object, key) === value) === equal);
}

type Requirement = { key: string; equal: boolean; value: string };

function requirements(selector: string | null): Requirement[] {
  if (!selector) return [];
  return selector.split(',').map((text) => {
    const [, key, operator, value = ''] = /^([\w./-]+)(==|=|!=)([\w.-]*)$/.exec(text) ?? [];
    if (!key) throw badRequest(`unable to parse requirement: ${text}`);
    return { key, equal: operator !== '!=', value };
  });
}

function fieldOf(object: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
}
