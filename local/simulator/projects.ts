import { gunzipSync } from 'node:zlib';
import { fieldsOf } from '../../lib/contract/pointer.ts';
import type { Reply } from './exchange.ts';

const PROJECTS = '/segments/projects';

/** What a path names. */
export type Named = { readonly id: number } | { readonly customId: string };

/** A request's path as the simulator reads it; `undefined` where it is not about projects. */
export interface ProjectsPath {
  /** The one project that it is about; absent for creations and lists. */
  readonly project?: Named;
  readonly hasQuery: boolean;
}

/** Reads a path; one that the service will refuse may be read in any way. */
export function readPath(target: string): ProjectsPath | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  const hasQuery = query !== '';
  if (path === PROJECTS) return { hasQuery };
  if (!path.startsWith(`${PROJECTS}/`)) return undefined;
  const name = path.slice(PROJECTS.length + 1);
  if (!name.startsWith('custom/')) return { project: { id: Number(name) }, hasQuery };
  return { project: { customId: decoded(name.slice('custom/'.length)) }, hasQuery };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path that is about the whole of what it was about. */
export function withoutQuery(target: string): string {
  return target.replace(/\?.*/s, '');
}

/** The path of a project that has an id. */
export function pathOf(id: number): string {
  return `${PROJECTS}/${id}`;
}

/** What an answer says about the project in it. */
export interface ProjectFields {
  readonly id: number;
  readonly customId: string | undefined;
}

/** Reads the project of a successful answer. */
export function projectIn(reply: Reply): ProjectFields | undefined {
  if (reply.status !== 200 && reply.status !== 201) return undefined;
  const { id, customId } = fieldsOf(valueIn(reply)) ?? {};
  if (typeof id !== 'number') return undefined;
  return { id, customId: typeof customId === 'string' ? customId : undefined };
}

/** The custom id in the body of a creation. */
export function customIdIn(body: Uint8Array | undefined): string | undefined {
  const { customId } = fieldsOf(body && parsed(body)) ?? {};
  return typeof customId === 'string' ? customId : undefined;
}

/** The JSON value of an answer, `undefined` where it has none. */
export function valueIn({ headers, body }: Reply): unknown {
  return parsed(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
}

/** The JSON value of bytes, `undefined` where they have none. */
export function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch {
    return undefined;
  }
}
