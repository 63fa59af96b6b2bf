/** The fields of a kind cluster's configuration that deploy/kind uses. Source: kind's v1alpha4 types. */
export const kindCluster = {
  $id: 'kind.x-k8s.io/v1alpha4 Cluster',
  type: 'object',
  additionalProperties: false,
  required: ['apiVersion', 'kind', 'nodes'],
  properties: {
    apiVersion: { const: 'kind.x-k8s.io/v1alpha4' },
    kind: { const: 'Cluster' },
    name: { type: 'string' },
    nodes: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['role'],
        properties: { role: { enum: ['control-plane', 'worker'] } },
      },
    },
  },
} as const;
