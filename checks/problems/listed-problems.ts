import { readFileSync } from 'node:fs';

type Document = {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { examples?: object }> }> }>
  >;
};

/** The problems that an OpenAPI document lists, by `method /path/{}`. */
export type ListedProblems = ReadonlyMap<string, readonly string[]>;

/** Reads them from the examples of the document's error answers. */
export function listedProblems(path: string): ListedProblems {
  const { paths } = JSON.parse(readFileSync(path, 'utf8')) as Document;
  return new Map(
    Object.entries(paths).flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => [
        `${method} ${template.replace(/\{\w+\}/g, '{}')}`,
        Object.values(responses).flatMap(({ content }) =>
          Object.keys(content?.['application/problem+json']?.examples ?? {}),
        ),
      ]),
    ),
  );
}
