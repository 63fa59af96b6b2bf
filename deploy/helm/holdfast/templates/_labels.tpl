{{- define "holdfast.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: holdfast
{{- end }}

{{- /* The labels that selectors use. They never change during the life of a release. */ -}}
{{- define "holdfast.dataPlaneSelector" -}}
app.kubernetes.io/name: {{ include "holdfast.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: data-plane
{{- end }}

{{- define "holdfast.dataPlaneLabels" -}}
app.kubernetes.io/name: {{ include "holdfast.name" . }}
app.kubernetes.io/component: data-plane
{{ include "holdfast.commonLabels" . }}
{{- end }}

{{- define "holdfast.auditRetentionSelector" -}}
app.kubernetes.io/name: {{ include "holdfast.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: audit-retention
{{- end }}

{{- define "holdfast.auditRetentionLabels" -}}
app.kubernetes.io/name: {{ include "holdfast.name" . }}
app.kubernetes.io/component: audit-retention
{{ include "holdfast.commonLabels" . }}
{{- end }}

{{- define "holdfast.postgresSelector" -}}
app.kubernetes.io/name: {{ include "holdfast.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: postgres
{{- end }}

{{- define "holdfast.postgresLabels" -}}
app.kubernetes.io/name: {{ include "holdfast.name" . }}
app.kubernetes.io/component: postgres
{{ include "holdfast.commonLabels" . }}
{{- end }}
