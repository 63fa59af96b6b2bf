/** The fields of a PodMonitor that deploy/ uses. Source: the Prometheus Operator's v1 API. */
export const podMonitor = {
  $id: 'monitoring.coreos.com/v1 PodMonitor',
  type: 'object',
  additionalProperties: false,
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { const: 'monitoring.coreos.com/v1' },
    kind: { const: 'PodMonitor' },
    metadata: {
      $ref: 'https://kubernetes.io/api/_definitions.json#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    },
    spec: {
      type: 'object',
      additionalProperties: false,
      required: ['selector', 'podMetricsEndpoints'],
      properties: {
        selector: {
          $ref: 'https://kubernetes.io/api/_definitions.json#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
        },
        podMetricsEndpoints: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            properties: {
              port: { type: 'string' },
              path: { type: 'string' },
              interval: { type: 'string', pattern: '^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$' },
            },
          },
        },
      },
    },
  },
} as const;
