import { gunzipSync } from 'node:zlib';
import { PROJECTS_PATH, projectPath } from '../../lib/contract/paths.ts';
import { fieldsOf } from '../../lib/contract/pointer.ts';
import type { ProjectRef } from '../../lib/service/port.ts';
import type { SimulatorResponse } from './server.ts';

/** The end of a path about a project: nothing, or what of the project is read. */
type PathEnd = '' | '/segments' | '/progress';

/** The parts of a path about projects. */
export interface ProjectsPath {
  /** The project that the path names. Absent for creations and lists. */
  readonly project?: ProjectRef;
  readonly end: PathEnd;
  readonly hasQuery: boolean;
}

/**
 * Reads the path of a request.
 * @returns `undefined` if the path is not about projects. Ids are not checked, because the service rejects invalid ones
 */
export function readPath(target: string): ProjectsPath | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  const hasQuery = query !== '';
  if (path === PROJECTS_PATH) return { end: '', hasQuery };
  if (!path.startsWith(`${PROJECTS_PATH}/`)) return undefined;
  const [, custom, name = '', end = ''] = /^(custom\/)?([^/]*)(.*)$/.exec(path.slice(PROJECTS_PATH.length + 1)) ?? [];
  const project: ProjectRef = custom === undefined ? { id: Number(name) } : { customId: decode(name) };
  return { project, end: end === '/segments' || end === '/progress' ? end : '', hasQuery };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function withoutQuery(target: string): string {
  return target.replace(/\?.*/s, '');
}

/** Replaces the project in the path of a request target. The end of the path and the query stay the same. */
export function withId(target: string, id: number): string {
  return target.replace(/^[^?]*/, projectPath({ id }) + (readPath(target)?.end ?? ''));
}

export interface ProjectFields {
  readonly id: number;
  readonly customId: string | undefined;
}

/**
 * Reads the id and custom id of the project in a successful response.
 * @returns `undefined` if the response has no project
 */
export function projectIn(response: SimulatorResponse): ProjectFields | undefined {
  if (response.status !== 200 && response.status !== 201) return undefined;
  const { id, customId } = fieldsOf(valueIn(response)) ?? {};
  if (typeof id !== 'number') return undefined;
  return { id, customId: typeof customId === 'string' ? customId : undefined };
}

/** Reads the custom id in the body of a creation. @returns `undefined` if the body has no custom id */
export function customIdIn(body: Uint8Array | undefined): string | undefined {
  const { customId } = fieldsOf(body && parseJsonBytes(body)) ?? {};
  return typeof customId === 'string' ? customId : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Applies a change to each project in a successful response. */
export function mapProjects(response: SimulatorResponse, change: (fields: Fields) => Fields): SimulatorResponse {
  const value = response.status < 300 ? valueIn(response) : undefined;
  if (value === undefined) return response;
  const changed = (project: unknown) => change(fieldsOf(project) ?? {});
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  const body = Buffer.from(JSON.stringify(Array.isArray(value) ? value.map(changed) : changed(value)));
  return { ...response, headers, body };
}

function valueIn({ headers, body }: SimulatorResponse): unknown {
  return parseJsonBytes(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
}

/** Parses JSON from bytes. @returns `undefined` if the bytes are not JSON */
export function parseJsonBytes(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch {
    return undefined;
  }
}
