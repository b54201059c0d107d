import { gzipSync } from 'node:zlib';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { breakOff, empty, json, type Play, problem, reset, text } from './server.ts';
import { answered, checked, kept } from './world.ts';

/** The project that the tables are about, with a task, and what a service has of it. */
export const project = checked({ customId: 'a', taskId: 't' });
export const found = json(200, kept(project));
/** The project once its task is gone. */
export const taskless = json(200, kept(checked({ customId: 'a' })));
export const gone = empty(404);

/** An answer, and the problem that it becomes. */
export type Row = readonly [what: string, play: Play, type: ProblemType];
type Named = readonly [what: string, play: Play];

/** What an answer means wherever it comes. */
export const EVERYWHERE: readonly Row[] = [
  ['401', empty(401), 'upstream-unavailable'],
  ['403', empty(403), 'upstream-unavailable'],
  ['429', empty(429, { 'retry-after': '9' }), 'upstream-unavailable'],
  ['503', empty(503), 'upstream-unavailable'],
  ['400', json(400, { message: 'no' }), 'upstream-refused'],
  ['405 without a body', empty(405), 'upstream-refused'],
  ['422 whose body breaks off', breakOff(422), 'upstream-refused'],
  ['301', empty(301, { location: 'http://127.0.0.1:1/' }), 'upstream-refused'],
  ['307', empty(307, { location: 'http://127.0.0.1:1/' }), 'upstream-refused'],
  ['308', empty(308, { location: 'http://127.0.0.1:1/' }), 'upstream-refused'],
  ['a problem of ours that no door may give here', problem(410, 'project-deleted'), 'upstream-refused'],
];

/** What leaves open whether something was done. */
export const AMBIGUOUS: readonly Named[] = [
  ['408', empty(408)],
  ['500', empty(500)],
  ['an HTML 502', text(502, '<html><h1>Bad Gateway</h1></html>', { 'content-type': 'text/html' })],
  ['504', empty(504)],
  ['a reset', reset],
  ['a problem of ours under another status', problem(500, 'project-not-found')],
];

/** Successes without a project in them. */
export const UNREADABLE: readonly Named[] = [
  ['an empty body', empty(200)],
  ['HTML', text(200, '<html></html>')],
  ['another shape', json(200, { ok: true })],
  ['a project without a usable id', json(200, { ...kept(project), id: 'project-1' })],
  [
    'a field that is nested without end',
    text(200, JSON.stringify(kept(project)).replace('{', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)},`)),
  ],
  ['an id above 2^53', text(200, JSON.stringify(answered(project)).replace('"id":1000', '"id":9007199254740993'))],
  ['bytes that are no UTF-8', text(200, Buffer.from('{"name":"\xff"}', 'latin1'))],
  ['gzip that is none', text(200, 'plain', { 'content-encoding': 'gzip' })],
  ['gzip that is cut', text(200, gzipSync('{}').subarray(0, 12), { 'content-encoding': 'gzip' })],
  ['a coding that nobody asked for', text(200, '{}', { 'content-encoding': 'br' })],
];

/** What a service answers for a project that it does not have. */
export const ABSENT: readonly Named[] = [
  ['404 alone', empty(404)],
  ['404 in JSON', json(404, { message: 'Not Found' })],
  ['404 in JSON with a charset', text(404, 'null', { 'content-type': 'Application/JSON ; charset=utf-8' })],
  ['404 with a problem of another make', json(404, { status: 404 }, { 'content-type': 'application/problem+json' })],
  ['404 project-not-found', problem(404, 'project-not-found')],
];

/** What is answered by something that is not the service, or not asked for a project. */
export const NOT_THE_SERVICE: readonly Named[] = [
  ['404 in HTML', text(404, '<html><h1>404 Not Found</h1></html>', { 'content-type': 'text/html' })],
  ['404 in HTML under the type of JSON', text(404, '<html></html>', { 'content-type': 'application/json' })],
  ['404 in plain text', text(404, '404 page not found', { 'content-type': 'text/plain' })],
  ['404 in text that only reads like JSON', text(404, '404', { 'content-type': 'text/plain; is=application/json' })],
  ['404 in JSON without its type', text(404, '{}')],
  ['404 that breaks off', breakOff(404)],
  ['404 route-not-found', problem(404, 'route-not-found')],
];
