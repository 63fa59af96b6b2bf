import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem, ProblemBody } from '@holdfast/specs/public';
import { html } from '../docs/html.ts';

type Refusal = { incoming: IncomingMessage; outgoing: ServerResponse; problem: Problem; requestId: string };

/** Answers a visit that is not let through, for a person if the visitor is a browser. */
export function answerRefusal({ incoming, outgoing, problem, requestId }: Refusal): void {
  const { retryAfterSeconds } = problem.options;
  const body = problem.body(requestId);
  const isPerson = /(^|,)\s*text\/html\b/i.test(incoming.headers.accept ?? '');
  const text = isPerson ? page(body) : JSON.stringify(body);
  outgoing.writeHead(problem.status, {
    'Content-Type': isPerson ? 'text/html; charset=utf-8' : 'application/problem+json',
    'Content-Length': Buffer.byteLength(text),
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...(problem.status === 401 && { 'WWW-Authenticate': 'Bearer realm="holdfast"' }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': Math.ceil(retryAfterSeconds) }),
  });
  outgoing.end(text);
}

const page = ({ status, title, detail }: ProblemBody): string =>
  html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<body style="font-family: sans-serif; max-width: 40em; margin: 4em auto">
<h1>${title}</h1>
<p>${detail}</p>
<p>${status}</p>
`.text;
