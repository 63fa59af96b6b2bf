{{- /* Each is "true" if the feature is enabled and the cluster has its API, and empty otherwise. */ -}}

{{- define "holdfast.isAutoscaled" -}}
{{- if and .Values.autoscaling.enabled (.Capabilities.APIVersions.Has "autoscaling/v2") }}true{{ end }}
{{- end }}

{{- define "holdfast.hasDisruptionBudget" -}}
{{- if and .Values.podDisruptionBudget.enabled (.Capabilities.APIVersions.Has "policy/v1") }}true{{ end }}
{{- end }}

{{- define "holdfast.isMonitored" -}}
{{- if and .Values.metrics.podMonitor.enabled (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}true{{ end }}
{{- end }}

{{- /* Refuses combinations of values that contradict each other. */ -}}
{{- define "holdfast.checkValues" -}}
{{- if and (or .Values.database.migrationUrl .Values.database.certificates) (not .Values.database.url) }}
{{- fail "database.migrationUrl and database.certificates belong to database.url; with database.existingSecret, put them into that Secret as migration-url and ca.crt" }}
{{- end }}
{{- if and .Values.insecureSkipAgentAuth (ne .Values.environment "development") }}
{{- fail "insecureSkipAgentAuth is only allowed with environment: development" }}
{{- end }}
{{- $databases := list .Values.database.existingSecret .Values.database.url (ternary "bundled" "" .Values.postgresql.enabled) | compact }}
{{- if ne (len $databases) 1 }}
{{- fail "set exactly one of database.existingSecret, database.url and postgresql.enabled; postgresql.enabled bundles a Postgres for evaluation only, whose records end with its pod" }}
{{- end }}
{{- if ne (empty .Values.oidc.issuer) (empty .Values.oidc.audience) }}
{{- fail "oidc needs both issuer and audience" }}
{{- end }}
{{- if and .Values.oidc.issuer (not .Values.publicUrl) (eq .Values.environment "production") }}
{{- fail "oidc needs publicUrl, the address for which clients ask for tokens" }}
{{- end }}
{{- if and .Values.preview.ingress.enabled (not .Values.preview.domain) }}
{{- fail "preview.ingress needs preview.domain" }}
{{- end }}
{{- range .Values.ingress.hosts }}
{{- if and $.Values.preview.domain (hasSuffix (printf ".%s" (include "holdfast.previewDomain" $)) .host) }}
{{- fail (printf "ingress.hosts has %s, which is below preview.domain: every request for it would be taken for one to a sandbox" .host) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The domain of ports without its port. */ -}}
{{- define "holdfast.previewDomain" -}}
{{- splitList ":" .Values.preview.domain | first }}
{{- end }}
