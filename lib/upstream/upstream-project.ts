import * as z from 'zod/mini';
import { parseExact } from '../contract/exact-json.ts';
import { UPSTREAM } from '../contract/failures.ts';
import { id } from '../contract/fields.ts';
import { LIMITS } from '../contract/limits.ts';
import { PARAMETERS } from '../contract/parameters.ts';
import { projectPath } from '../contract/paths.ts';
import { fieldsOf } from '../contract/pointer.ts';
import type { TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import type { Client } from './client.ts';
import { requireOk } from './failures.ts';
import { LIST, pagePath, READ } from './requests.ts';
import { type UpstreamAnswer, unreadable, unreadableBody } from './upstream-answer.ts';

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

/** A project that the service has shown, with all its segments. */
export type Fetched = UpstreamAnswer<{ readonly project: UpstreamProject }>;

/**
 * Fetches a project of the ledger by its id and checks its custom id. The ledger has a wrong id if the response to the
 * creation had a wrong id. So if the id leads to no project, or to another project, the project is looked up by its
 * custom id, provided that no other project can have this custom id (`isUnique`).
 */
export async function fetchNamed(client: Client, project: NamedProject, call: CallContext): Promise<Fetched> {
  const { id, name, isUnique } = project;
  const fetchById = async (projectId: number): Promise<Fetched> => {
    const shown = await fetchProject(client, { id: projectId }, call, false);
    return shown.kind === 'ok' && shown.project.customId !== name ? ANOTHER : shown;
  };
  const shown = await fetchById(id);
  if (!isUnique || (shown.kind !== 'absent' && shown.kind !== 'unreadable')) return shown;
  const found = await fetchProject(client, { customId: name }, call);
  if (found.kind !== 'ok') return found.kind === 'absent' ? shown : found;
  // The id in this response may be wrong too, and the caller may delete the project with this id next: check it.
  return found.project.id === id ? shown : fetchById(found.project.id);
}

/**
 * Fetches a project.
 * @param isProof whether `absent` must prove that the service does not have the project; see `UpstreamRequest`
 */
export async function fetchProject(
  client: Client,
  ref: ProjectRef,
  call: CallContext,
  isProof = true,
): Promise<Fetched> {
  const answer = await client({ operation: READ, path: projectPath(ref), isProof }, call);
  if (answer.kind !== 'ok') return answer;
  const project = readUpstreamProject(answer);
  if (!project) return unreadableBody(answer.body);
  // The caller may delete this project next, so it must be the requested one.
  const isRequested = 'id' in ref ? project.id === ref.id : project.customId === ref.customId;
  return isRequested ? { kind: 'ok', project } : ANOTHER;
}

const ANOTHER = unreadable(UPSTREAM.otherProject);

/**
 * Fetches all projects of an upstream account without their segments, page by page if the service has pages. It skips
 * entries without a valid id.
 * @param callForPage returns the call context for the request for the next page
 * @throws {Problem} if a page cannot be fetched
 */
export async function* fetchAllProjects(
  client: Client,
  callForPage: () => CallContext,
): AsyncGenerator<UpstreamProject> {
  for (let after: number | undefined; ; ) {
    const { projects, next } = requireOk(await fetchProjectsPage(client, after, callForPage()));
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
 */
export async function fetchProjectsPage(
  client: Client,
  after: number | undefined,
  call: CallContext,
): Promise<UpstreamAnswer<UpstreamPage>> {
  const answer = await client({ operation: LIST, path: pagePath(LIMITS.listMax, after) }, call);
  if (answer.kind !== 'ok') return answer;
  const projects = readUpstreamProjects(answer);
  if (!projects) return unreadableBody(answer.body);
  const { link } = answer.headers;
  const page = nextPage(typeof link === 'string' ? link : link?.join(), after);
  return page.kind === 'ok' ? { ...page, projects } : page;
}

const LINK = /<([^<>]*)>((?:\s*;[^;,"]*(?:"[^"]*")?)*)/g;
const REL_NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))/i;

/**
 * Reads from a `Link` header (RFC 8288) where the next page starts.
 * @param after the project id after which this page starts; not given for the first page
 * @returns `next` of the page; `unreadable` if the link has no valid cursor, or does not lead to a later page
 */
export function nextPage(link = '', after = Number.POSITIVE_INFINITY): UpstreamAnswer<Pick<UpstreamPage, 'next'>> {
  const [, target] = [...link.matchAll(LINK)].find(([, , parameters = '']) => REL_NEXT.test(parameters)) ?? [];
  if (target === undefined) return { kind: 'ok', next: undefined };
  // Only the query matters: behind a proxy, the service may not know its own URL.
  const cursors = URL.parse(target, 'http://relative.invalid')?.searchParams.getAll('cursor') ?? [];
  const [cursor = ''] = cursors;
  const next = cursors.length === 1 ? PARAMETERS.cursor.read(cursor) : undefined;
  // A link back to an earlier page would lead to an endless loop.
  if (next !== undefined && next < after) return { kind: 'ok', next };
  return unreadable('The upstream service sent a link to its next page that Segue cannot follow.');
}
