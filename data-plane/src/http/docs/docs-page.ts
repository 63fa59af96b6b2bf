import { problems } from '@holdfast/specs/public';
import { firstCommands } from './curl-example.ts';
import { docsStyle } from './docs-style.ts';
import { schemaFields } from './field-list.ts';
import { Html, html, prose } from './html.ts';
import { type OpenApi, type Route, routesOf } from './open-api.ts';
import { operationSection } from './operation-section.ts';

/** Stands for the server's origin in what is made once. */
const originMark = 'http://origin.invalid';

/** The API as one page that needs neither network nor script. Made once; the answer to it puts the caller's origin in. */
export function docsPage(document: OpenApi): (origin: string) => string {
  const page = render(document).text;
  return (origin) =>
    page.replaceAll(originMark, /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : 'http://127.0.0.1:8080');
}

function render(document: OpenApi): Html {
  const byTag = Map.groupBy(routesOf(document), ({ operation }) => operation.tags[0] as string);
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
<p class="lead">${prose(description)} The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
${start()}
${[...byTag].map(
  ([tag, routes]) => html`<h2 id="${slug(tag)}">${tag}</h2>${routes.map((route) => operationSection(document, route))}`,
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
<p>Paste this first; every example below goes on from it. Keys go out as <code>Authorization: Bearer</code> or
<code>X-API-Key</code>. Sessions, steps and contexts need the scope <code>run</code>, API keys the scope <code>admin</code>.</p>
<pre><code>${firstCommands(originMark)}</code></pre>
<p>Every answer carries <code>X-Request-Id</code>: yours, where you send one, else a new one. A POST that creates takes an
<code>Idempotency-Key</code>; the same key with the same request gets the same answer, and nothing is done twice.</p>`;

/** Can be folded away: on a phone it is the first thing to be seen. */
const contents = (byTag: Map<string, Route[]>) => html`<details open><summary>Contents</summary>
<ul><li><a href="#start">Start here</a></li></ul>
${[...byTag].map(
  ([tag, routes]) =>
    html`<h2>${tag}</h2><ul>${routes.map(
      ({ method, operation }) =>
        html`<li><span class="method ${method.toLowerCase()}">${method}</span><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    )}</ul>`,
)}
<h2>Reference</h2><ul><li><a href="#schemas">Schemas</a></li><li><a href="#problems">Problems</a></li></ul></details>`;

const problemCatalogue = () => html`<h2 id="problems">Problems</h2>
<p>An answer that is no success is <code>application/problem+json</code> (RFC 9457): <code>code</code> is one of these,
<code>detail</code> says more, <code>errors</code> lists every fault of the request with a pointer to it.</p>
${Object.entries(problems).map(
  ([code, { status, title }]) =>
    html`<section class="problem" id="problem-${code}"><strong class="s${String(status)[0]}">${status}</strong><div><h3>${code}</h3><p>${title}.</p></div></section>`,
)}`;

const slug = (text: string) => text.toLowerCase().replaceAll(' ', '-');
