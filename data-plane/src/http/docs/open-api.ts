/** The parts of an OpenAPI 3.1 document that the page uses. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
};

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
export type Media = { schema?: Schema; example?: unknown; examples?: Readonly<Record<string, unknown>> };
export type Answer = { description: string; content?: Readonly<Record<string, Media>> };

export type DocumentedOperation = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security: readonly unknown[];
  parameters?: readonly Parameter[];
  /** JSON, or raw bytes of another type. */
  requestBody?: { required?: boolean; content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Answer>>;
};

export type OpenApi = {
  info: { title: string; description: string };
  tags: readonly { name: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

export type Endpoint = { method: string; path: string; operation: DocumentedOperation };

export const endpointsOf = (document: OpenApi): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

export const schemaName = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1);
