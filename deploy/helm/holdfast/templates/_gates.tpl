{{- /* Each is "true" or empty: wanted, and the cluster has the API for it. */ -}}

{{- define "holdfast.isAutoscaled" -}}
{{- if and .Values.autoscaling.enabled (.Capabilities.APIVersions.Has "autoscaling/v2") }}true{{ end }}
{{- end }}

{{- define "holdfast.hasDisruptionBudget" -}}
{{- if and .Values.podDisruptionBudget.enabled (.Capabilities.APIVersions.Has "policy/v1") }}true{{ end }}
{{- end }}

{{- define "holdfast.isMonitored" -}}
{{- if and .Values.metrics.podMonitor.enabled (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}true{{ end }}
{{- end }}

{{- /* Values that each are right and together are not. */ -}}
{{- define "holdfast.checkValues" -}}
{{- if and .Values.insecureSkipAgentAuth (ne .Values.environment "development") }}
{{- fail "insecureSkipAgentAuth is refused outside of environment: development" }}
{{- end }}
{{- $databases := list .Values.database.existingSecret .Values.database.url (ternary "bundled" "" .Values.postgresql.enabled) | compact }}
{{- if ne (len $databases) 1 }}
{{- fail "exactly one of database.existingSecret, database.url and postgresql.enabled is needed; postgresql.enabled bundles a Postgres for trying things out, whose records end with its pod" }}
{{- end }}
{{- end }}
