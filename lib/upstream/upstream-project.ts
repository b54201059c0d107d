import * as z from 'zod/mini';
import { parseExact } from '../contract/exact-json.ts';
import { id } from '../contract/fields.ts';
import { LIMITS } from '../contract/limits.ts';
import { PARAMETERS } from '../contract/parameters.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import type { TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import type { Client } from './client.ts';
import { unreadableProblem, upstreamFailures } from './failures.ts';
import { LIST, pagePath, projectPath, READ } from './requests.ts';

/**
 * A project in a response of the upstream service. Only the id is checked. Any other field may be absent or have any
 * JSON value, because services differ in these fields.
 */
export interface UpstreamProject {
  readonly id: number;
  readonly customId?: unknown;
  readonly creationDateUtc?: unknown;
  readonly taskId?: unknown;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/** The schema of an id in a string, written as in a path: no sign, no leading zero, no exponent. */
const IdInString = z.pipe(z.pipe(z.string().check(z.regex(/^[1-9]\d{0,15}$/)), z.transform(Number)), id());
const ProjectId = z.union([id(), IdInString]);

/** Reads the project in a response. Returns `undefined` if the body is not an object with a valid id. */
export function readUpstreamProject({ body }: TransportResponse): UpstreamProject | undefined {
  return projectOf(parseJson(body, parseExact));
}

/**
 * Reads the projects in the response to a list request, without their segments. It skips entries without a valid id.
 * @returns `undefined` if the body is not a JSON array
 */
export function readUpstreamProjects({ body }: TransportResponse): UpstreamProject[] | undefined {
  const entries = parseJson(body, parseExact);
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry) => projectOf(entry) ?? []).map(({ segments: _, ...head }) => head);
}

function projectOf(value: unknown): UpstreamProject | undefined {
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  const projectId = ProjectId.safeParse(fields?.['id']).data;
  return projectId === undefined ? undefined : { ...fields, id: projectId };
}

/** A project of the ledger, with its id and its custom id at the upstream service. */
export interface NamedProject {
  readonly id: number;
  /** The custom id at the upstream service. */
  readonly name: string;
  /** Whether Segue created the name, so that no other project can have it. */
  readonly isUnique: boolean;
}

/**
 * Fetches a project of the ledger by its id, with all its segments, and checks its custom id. The ledger has a wrong id
 * if the response to the creation had a wrong id. So if the id leads to no project, or to another project, the project
 * is looked up by its custom id, provided that no other project can have this custom id (`isUnique`).
 * @throws {Problem} `project-not-found`; `upstream-invalid` if only another project is found
 */
export async function fetchNamed(client: Client, project: NamedProject, call: CallContext): Promise<UpstreamProject> {
  const { id, name, isUnique } = project;
  try {
    return await fetchById(client, project, call);
  } catch (error) {
    const isElsewhere =
      error instanceof Problem && (error.name === 'project-not-found' || error.name === 'upstream-invalid');
    const found = isUnique && isElsewhere ? await findProject(client, { customId: name }, call) : undefined;
    if (!found || found.id === id) throw error;
    // The id in this response may be wrong too, and the caller may delete the project with this id next: check it.
    return fetchById(client, { id: found.id, name }, call);
  }
}

async function fetchById(
  client: Client,
  { id, name }: Pick<NamedProject, 'id' | 'name'>,
  call: CallContext,
): Promise<UpstreamProject> {
  const project = await fetchProject(client, { id }, call, false);
  if (project.customId !== name) throw anotherProject();
  return project;
}

/**
 * Fetches a project with all its segments, if the upstream service has it.
 * @returns `undefined` if the service does not have the project
 * @throws {Problem} if it is not certain whether the service has the project
 */
export async function findProject(
  client: Client,
  ref: ProjectRef,
  call: CallContext,
): Promise<UpstreamProject | undefined> {
  try {
    return await fetchProject(client, ref, call, true);
  } catch (error) {
    if (error instanceof Problem && error.name === 'project-not-found') return undefined;
    throw error;
  }
}

async function fetchProject(
  client: Client,
  ref: ProjectRef,
  call: CallContext,
  isProof: boolean,
): Promise<UpstreamProject> {
  const response = await client({ operation: READ, path: projectPath(ref), isProof }, call);
  const project = readUpstreamProject(response);
  if (!project) throw unreadableProblem(response, READ);
  // The caller may delete this project next, so it must be the requested one.
  if ('id' in ref ? project.id !== ref.id : project.customId !== ref.customId) throw anotherProject();
  return project;
}

function anotherProject(): Problem {
  return upstreamFailures.invalid('The upstream service returned another project than the requested one.');
}

/**
 * Fetches all projects of an upstream account without their segments, page by page if the service has pages. It skips
 * entries without a valid id.
 * @param callForPage returns the call context for the request for the next page
 * @throws {Problem} `upstream-invalid` if the link to the next page cannot be followed
 */
export async function* fetchAllProjects(
  client: Client,
  callForPage: () => CallContext,
): AsyncGenerator<UpstreamProject> {
  for (let after: number | undefined; ; ) {
    const { projects, next } = await fetchProjectsPage(client, after, callForPage());
    yield* projects;
    if (next === undefined) return;
    after = next;
  }
}

/** A page of the projects of an upstream account, without their segments. */
interface UpstreamPage {
  readonly projects: readonly UpstreamProject[];
  /** The id after which the next page starts; `undefined` if this page is the last. */
  readonly next: number | undefined;
}

/**
 * Fetches a page of the projects of an upstream account, without their segments. A service without pages returns all of
 * its projects.
 * @param after the project id after which the page starts
 * @throws {Problem} `upstream-invalid` if the link to the next page cannot be followed
 */
export async function fetchProjectsPage(
  client: Client,
  after: number | undefined,
  call: CallContext,
): Promise<UpstreamPage> {
  const response = await client({ operation: LIST, path: pagePath(LIMITS.listMax, after) }, call);
  const projects = readUpstreamProjects(response);
  if (!projects) throw unreadableProblem(response, LIST);
  const { link } = response.headers;
  return { projects, next: nextPage(typeof link === 'string' ? link : link?.join(), after) };
}

const LINK = /<([^<>]*)>((?:\s*;[^;,"]*(?:"[^"]*")?)*)/g;
const REL_NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))/i;

/**
 * Reads from a `Link` header (RFC 8288) where the next page starts.
 * @param after the project id after which this page starts; not given for the first page
 * @returns the project id after which the next page starts; `undefined` if this page is the last
 * @throws {Problem} `upstream-invalid` if the link has no valid cursor, or does not lead to a later page
 */
export function nextPage(link = '', after = Number.POSITIVE_INFINITY): number | undefined {
  const [, target] = [...link.matchAll(LINK)].find(([, , parameters = '']) => REL_NEXT.test(parameters)) ?? [];
  if (target === undefined) return undefined;
  // Only the query matters: behind a proxy, the service may not know its own URL.
  const cursors = URL.parse(target, 'http://relative.invalid')?.searchParams.getAll('cursor') ?? [];
  const [cursor = ''] = cursors;
  const next = cursors.length === 1 ? PARAMETERS.cursor.read(cursor) : undefined;
  // A link back to an earlier page would lead to an endless loop.
  if (next !== undefined && next < after) return next;
  throw upstreamFailures.invalid('The upstream service sent a link to its next page that Segue cannot follow.');
}
