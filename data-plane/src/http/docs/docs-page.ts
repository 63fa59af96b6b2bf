import { problems } from '@holdfast/specs/public';
import { firstCommands } from './curl-example.ts';
import { docsStyle } from './docs-style.ts';
import { schemaFields } from './field-list.ts';
import { Html, html, prose } from './html.ts';
import { type Endpoint, endpointsOf, type OpenApi } from './open-api.ts';
import { operationSection } from './operation-section.ts';

/** A placeholder for the server's origin in the rendered page. */
const originMark = 'http://origin.invalid';

/**
 * The API as one page that loads nothing and needs no script. It is rendered once; the returned function puts the server's origin into the
 * examples, or a default if the origin is not a plain one.
 */
export function docsPage(document: OpenApi): (origin: string) => string {
  const page = render(document).text;
  return (origin) =>
    page.replaceAll(originMark, /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : 'http://127.0.0.1:8080');
}

function render(document: OpenApi): Html {
  const byTag = Map.groupBy(endpointsOf(document), ({ operation }) => operation.tags[0] as string);
  const { title, description } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<style>${new Html(docsStyle)}</style>
</head>
<body><div class="page">
<nav aria-label="Contents"><strong>${title} API</strong>${contents(byTag)}</nav>
<main>
<h1>${title} API</h1>
<p class="lead">${prose(description)} It is also available as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
${start()}
${[...byTag].map(
  ([tag, endpoints]) =>
    html`<h2 id="${slug(tag)}">${tag}</h2>${endpoints.map((endpoint) => operationSection(document, endpoint))}`,
)}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(
  ([name, schema]) =>
    html`<section class="schema" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${schemaFields(schema)}</section>`,
)}
${problemCatalogue()}
</main></div></body></html>
`;
}

const start = () => html`
<h2 id="start">Start here</h2>
<p>Paste this first; the examples below build on it. Send your key as <code>Authorization: Bearer</code> or
<code>X-API-Key</code>. Sessions, steps and contexts need the scope <code>run</code>, API keys the scope <code>admin</code>.</p>
<pre><code>${firstCommands(originMark)}</code></pre>
<p>Every answer has an <code>X-Request-Id</code>: the one that you sent, or else a new one. Every POST that creates something accepts an
<code>Idempotency-Key</code>: repeating a request with the same key returns the same answer and does nothing twice.</p>`;

/** The table of contents can be folded, because on a phone it comes first. */
const contents = (byTag: Map<string, Endpoint[]>) => html`<details open><summary>Contents</summary>
<ul><li><a href="#start">Start here</a></li></ul>
${[...byTag].map(
  ([tag, endpoints]) =>
    html`<h2>${tag}</h2><ul>${endpoints.map(
      ({ method, operation }) =>
        html`<li><span class="method ${method.toLowerCase()}">${method}</span><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    )}</ul>`,
)}
<h2>Reference</h2><ul><li><a href="#schemas">Schemas</a></li><li><a href="#problems">Problems</a></li></ul></details>`;

const problemCatalogue = () => html`<h2 id="problems">Problems</h2>
<p>An error is answered as <code>application/problem+json</code> (RFC 9457): <code>code</code> is one of these,
<code>detail</code> explains it, and <code>errors</code> lists every fault of the request with a pointer to it.</p>
${Object.entries(problems).map(
  ([code, { status, title }]) =>
    html`<section class="problem" id="problem-${code}"><strong class="s${String(status)[0]}">${status}</strong><div><h3>${code}</h3><p>${title}.</p></div></section>`,
)}`;

const slug = (text: string) => text.toLowerCase().replaceAll(' ', '-');
