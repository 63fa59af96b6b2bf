{{- define "holdfast.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "holdfast.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "holdfast.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "holdfast.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "holdfast.sandboxNamespace" -}}
{{- default (printf "%s-sandboxes" .Release.Namespace) .Values.sandboxes.namespace.name }}
{{- end }}

{{- define "holdfast.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "holdfast.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "holdfast.image" -}}
{{- with .Values.image }}
{{- if .registry }}{{ .registry }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "holdfast.databaseSecret" -}}
{{- default (printf "%s-database" (include "holdfast.fullname" .)) .Values.database.existingSecret }}
{{- end }}

{{- define "holdfast.databaseSecretKey" -}}
{{- ternary .Values.database.existingSecretKey "url" (ne .Values.database.existingSecret "") }}
{{- end }}

{{- define "holdfast.keysSecret" -}}
{{- default (printf "%s-keys" (include "holdfast.fullname" .)) .Values.keys.existingSecret }}
{{- end }}

{{- define "holdfast.apiKeySecret" -}}
{{- default (printf "%s-api-key" (include "holdfast.fullname" .)) .Values.apiKey.existingSecret }}
{{- end }}

{{- define "holdfast.apiKeySecretKey" -}}
{{- ternary .Values.apiKey.existingSecretKey "api-key" (ne .Values.apiKey.existingSecret "") }}
{{- end }}
