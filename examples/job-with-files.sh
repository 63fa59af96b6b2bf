#!/bin/sh
# Runs a program once in a sandbox of its own, with a file and arguments, and fetches the file that it wrote.
set -eu
HOLDFAST=${HOLDFAST_URL:-http://127.0.0.1:8080}
api() { curl -sS --fail-with-body ${HOLDFAST_API_KEY:+-H "X-API-Key: $HOLDFAST_API_KEY"} -H 'Content-Type: application/json' "$@"; }
field() { python3 -c "import json, sys; it = json.load(sys.stdin); print($1)"; }

JOB=$(api "$HOLDFAST/v1/run?inline=true" -d '{
  "language": "python",
  "args": ["2"],
  "files": {"words.txt": "one two three two three three"},
  "code": "import collections, sys\nwords = collections.Counter(open(\"words.txt\").read().split())\nwith open(\"top.txt\", \"w\") as top:\n    for word, count in words.most_common(int(sys.argv[1])): print(word, count, file=top)\nprint(len(words), \"words\")"
}')
printf %s "$JOB" | field "it['stdout']"
SESSION=$(printf %s "$JOB" | field "it['sessionId']")

ARTIFACT=$(api "$HOLDFAST/v1/sessions/$SESSION/artifacts" | field "[a['id'] for a in it['items'] if a['path'] == 'top.txt'][0]")
api "$HOLDFAST/v1/sessions/$SESSION/artifacts/$ARTIFACT/content"
