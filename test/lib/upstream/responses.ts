import { breakOff, empty, json, type Play, problem, reset, text } from './server.ts';
import { checked, kept } from './world.ts';

/** The project of the tables, with a task, and how a service shows it. */
export const project = checked({ customId: 'a', taskId: 't' });
export const found = json(200, kept(project));
/** The project without its task. */
export const taskless = json(200, kept(checked({ customId: 'a' })));
export const gone = empty(404);
/** Something else than the service answers. */
export const notTheService = text(404, '<html><h1>404</h1></html>', { 'content-type': 'text/html' });
/** Another company's project. */
export const another = json(200, kept(checked({ customId: 'theirs' })));

type Row = readonly [what: string, play: Play];

/** Responses after which it is uncertain whether something was done. */
export const UNCERTAIN: readonly Row[] = [
  ['502', empty(502)],
  ['a reset', reset],
  ['302', empty(302, { location: '/' })],
];

/** Responses of a service that does not have the project. */
export const ABSENT: readonly Row[] = [
  ['404', empty(404)],
  ['404 project-not-found', problem(404, 'project-not-found')],
];

/** Successes without a usable project. */
export const UNREADABLE: readonly Row[] = [
  ['empty', empty(200)],
  ['HTML', text(200, '<html></html>')],
  ['a project without a usable id', json(200, { ...kept(project), id: 'project-1' })],
  ['JSON nested too deeply', text(200, `{"id":1000,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)],
  ['an id above 2^53', text(200, '{"id":9007199254740993}')],
  ['invalid UTF-8', text(200, Buffer.from('{"name":"\xff"}', 'latin1'))],
  ['invalid gzip', text(200, 'plain', { 'content-encoding': 'gzip' })],
  ['an unrequested content coding', text(200, '{}', { 'content-encoding': 'br' })],
];

export const brokenOff = breakOff(200);
