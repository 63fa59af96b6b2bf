import { curlExample } from './curl-example.ts';
import { describeType } from './describe-type.ts';
import { parameterList, schemaFields } from './field-list.ts';
import { type Html, html, prose } from './html.ts';
import { type Answer, type Endpoint, type OpenApi, schemaName } from './open-api.ts';

/** One endpoint: its description, parameters, body and answers, and a command to try it. */
export function operationSection(document: OpenApi, endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint;
  const body = operation.requestBody?.content['application/json']?.schema;
  const upload = body ? [] : Object.keys(operation.requestBody?.content ?? {});
  const named = body && schemaName(body);
  return html`
<section class="endpoint" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="line"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${operation.description && html`<p>${prose(operation.description)}</p>`}
${operation.parameters && html`<h4>Parameters</h4>${parameterList(operation.parameters)}`}
${body && html`<h4>Body ${operation.requestBody?.required === false && html`<span class="place">optional</span>`}</h4>${schemaFields((named && document.components.schemas[named]) || body)}`}
${upload.length > 0 && html`<h4>Body</h4><p>${upload.map((type) => html`<span class="type">${type}</span> `)}</p>`}
<h4>Answers</h4>
<dl class="answers">${Object.entries(operation.responses).map(([status, answer]) => answerRow(status, answer))}</dl>
<h4>Try it</h4>
<pre><code>${curlExample(endpoint)}</code></pre>
${exampleOf(operation.responses)}
</section>`;
}

function answerRow(status: string, answer: Answer): Html {
  const media = Object.entries(answer.content ?? {});
  const problems = media.find(([type]) => type === 'application/problem+json')?.[1].examples;
  if (problems) {
    const slugs = Object.keys(problems).map((slug) => html`<a class="slug" href="#problem-${slug}">${slug}</a> `);
    return html`<div><dt class="s${status[0]}">${status}</dt><dd>${slugs}</dd></div>`;
  }
  const types = media.map(
    ([type, { schema }]) => html`<span class="type">${type}${schema && html`: ${describeType(schema)}`}</span> `,
  );
  return html`<div><dt class="s${status[0]}">${status}</dt><dd>${prose(answer.description)} ${types}</dd></div>`;
}

/** The first example of a JSON answer, which the reader can unfold. */
function exampleOf(responses: Readonly<Record<string, Answer>>): Html | undefined {
  const example = Object.values(responses)
    .map(({ content }) => content?.['application/json']?.example)
    .find((value) => value !== undefined);
  if (example === undefined) return undefined;
  return html`<details><summary>Example answer</summary><pre><code>${JSON.stringify(example, null, 2)}</code></pre></details>`;
}

/** Lets a long path wrap after its slashes on a narrow screen. */
const breakable = (path: string): Html[] => path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`);
