import { expect } from 'vitest';
import type { RequestedBy } from '../../lib/contract/receipt.ts';
import type { Route } from '../../lib/contract/routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import type { Json } from '../support/projects.ts';
import { routeOf } from '../support/routes.ts';
import { type ListAnswer, listAnswer, type ProjectAnswer, projectAnswer } from './answers.ts';
import { oauthErrorOf, problemOf } from './problems.ts';

/** A running API, and the credentials of a company that only this suite uses. */
export interface Target {
  readonly name: string;
  /** The base URL, without a trailing slash. */
  readonly url: string;
  readonly authorization: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** The number of bytes that Segue adds to a project before it sends it to the upstream service. Default: 0. */
  readonly addedBytes?: number;
  /**
   * Whether dates are returned as they were sent. Behind Segue, they are formatted as the upstream service returns
   * them.
   */
  readonly echoesDates?: true;
  /** Whether a missing start date is set to the time of the attempt, as at every door but HTTP. */
  readonly stampsStart?: true;
  /** Whether the service writes translations. If not, it refuses them with `not-supported`. */
  readonly writesTranslations?: true;
  /** Whether the service, or the upstream service, assigns members to the tasks of managed projects. */
  readonly assignsMembers?: true;
  /** The `requestedBy` of a deletion receipt, unless an API key requested the deletion. */
  readonly requestedBy?: RequestedBy;
}

/** The `addedBytes` of Segue in front of a service: Segue adds a custom id of its own to each project. */
export const ADDED_IN_FRONT = 300;

export interface Answer extends HttpAnswer {
  readonly baseUrl: string;
}

export interface Options {
  /** Headers by name. `null` leaves out a default header; a list sends the header several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  /** A body that is sent as JSON. */
  readonly json?: unknown;
  /** A body that is sent byte for byte. Its content type is JSON unless a header sets another. */
  readonly body?: string | Uint8Array;
}

export const PROJECTS = '/segments/projects';

/** Returns the path of a project by its id. */
export function byId(id: number | string): string {
  return `${PROJECTS}/${id}`;
}

/** Returns the path of a project by its custom id. */
export function byCustomId(customId: string): string {
  return `${PROJECTS}/custom/${encodeURIComponent(customId)}`;
}

/** Returns the path of the page of a problem type. */
export function pageOf(type: string): string {
  return `/problems/${type}`;
}

/** Returns the path of an operation's state. */
export function operationPath(operationId: string): string {
  return `/operations/${operationId}`;
}

/** A well-formed operation id that belongs to no operation. */
export const UNKNOWN_OPERATION = 'A'.repeat(43);

/** Returns the path of a route with an example value for each parameter. */
export function examplePath(path: Route['path']): string {
  const values = {
    id: '1',
    customId: 'x',
    languageCode: 'de',
    operationId: UNKNOWN_OPERATION,
    type: 'invalid-project',
    source: 'none',
  };
  return Object.entries(values).reduce((filled, [name, value]) => filled.replace(`{${name}}`, value), `${path}`);
}

/** Sends requests to one target, checks the rules for every answer, and remembers which projects to delete. */
export class Api {
  readonly target: Target;
  readonly #made = new Set<number>();

  constructor(target: Target) {
    this.target = target;
  }

  async send(method: string, path: string, options: Options = {}): Promise<Answer> {
    const answer = await this.exchange(method, path, options);
    this.#remember(answer);
    expectGoodManners(method, path, answer);
    expectSafeHeaders(answer);
    return answer;
  }

  /** Sends a request and returns the answer. */
  protected async exchange(method: string, path: string, { headers = {}, json, body }: Options): Promise<Answer> {
    const content = json === undefined ? body : JSON.stringify(json);
    const all: Record<string, string | readonly string[] | null> = {
      authorization: this.target.authorization,
      accept: 'application/json',
      // Some firewalls refuse a request without a user agent.
      'user-agent': 'segue-verify',
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    return {
      ...(await send(this.target.url, {
        method,
        path,
        headers: Object.fromEntries(
          Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
        ),
        ...(content !== undefined && { body: content }),
      })),
      baseUrl: this.target.url,
    };
  }

  get(path: string, options?: Options): Promise<Answer> {
    return this.send('GET', path, options);
  }

  delete(path: string, options?: Options): Promise<Answer> {
    return this.send('DELETE', path, options);
  }

  patch(path: string, json: unknown, options?: Options): Promise<Answer> {
    return this.send('PATCH', path, { json, ...options });
  }

  /** Posts a project and returns the answer, whatever its status. */
  post(project: unknown, query = '', options?: Options): Promise<Answer> {
    return this.send('POST', PROJECTS + query, { json: project, ...options });
  }

  /** Checks a project without creating it, and returns the answer, whatever its status. */
  check(project: unknown): Promise<Answer> {
    return this.post(project, '?validateOnly=true');
  }

  /** Creates a project. Fails unless the create succeeds. */
  async create(project: Json, options?: Options): Promise<ProjectAnswer> {
    return projectIn(await this.post(project, '', options), 201);
  }

  /** Reads a project. Fails unless the project exists. */
  async read(path: string, options?: Options): Promise<ProjectAnswer> {
    return projectIn(await this.get(path, options), 200);
  }

  /** Returns every project of the company, page by page. */
  async list(limit = 100): Promise<ListAnswer> {
    const projects: ListAnswer = [];
    let path: string | undefined = `${PROJECTS}?limit=${limit}`;
    while (path) {
      const answer: Answer = await this.get(path);
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      projects.push(...listAnswer.parse(JSON.parse(answer.text)));
      path = nextPage(answer);
    }
    return projects;
  }

  /** Deletes the projects that were created since the last cleanup. */
  async cleanUp(): Promise<void> {
    for (const id of this.#made) {
      this.#made.delete(id);
      const { status } = await this.delete(byId(id));
      expect(status).toBeOneOf([204, 404]);
    }
  }

  #remember({ status, headers: { location } }: Answer): void {
    const id = status === 201 ? Number(location?.split('/').at(-1)) : Number.NaN;
    if (Number.isSafeInteger(id)) this.#made.add(id);
  }
}

/** Returns the project of an answer, after checking its status. */
export function projectIn(answer: Answer, status: 200 | 201): ProjectAnswer {
  expect(answer.status, answer.text.slice(0, 2_000)).toBe(status);
  return projectAnswer.parse(JSON.parse(answer.text));
}

/** Returns path and query of the next page from the `Link` header, relative to the base URL. */
export function nextPage({ baseUrl, headers: { link } }: Answer): string | undefined {
  if (link === undefined) return undefined;
  const [, reference = ''] = /^<([^>]*)>; *rel="next"$/.exec(String(link)) ?? [];
  expect(reference, `Link: ${link}`).not.toBe('');
  const url = new URL(reference, `${baseUrl}${PROJECTS}`).href;
  expect(url.startsWith(`${baseUrl}${PROJECTS}`), url).toBe(true);
  return url.slice(baseUrl.length);
}

/** The paths, up to their parameters, of the operations that answer with more than JSON. */
const PAGES = ROUTES.filter((route) => 'produces' in route).map(({ path }) => path.replace(/\{.*/, ''));

/** Checks the rules for every answer of every operation. */
function expectGoodManners(method: string, path: string, answer: Answer): void {
  const { status, headers, bytes } = answer;
  expect(headers['x-request-id'], 'X-Request-Id').toMatch(/\S/);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  if (method === 'HEAD' || status === 204) expect(bytes).toHaveLength(0);
  else if (status >= 400) isOAuthError(path, answer) ? oauthErrorOf(answer) : problemOf(answer);
  else {
    const isPage = PAGES.some((page) => path.startsWith(page));
    const type = isPage ? /^(?:application\/json|text\/(?:html|javascript|plain))\b/ : /^application\/json\b/;
    expect(headers['content-type']).toMatch(type);
  }
}

/** Whether an answer is an error of OAuth. The gateway itself answers with problems on every path. */
function isOAuthError(path: string, { headers }: Answer): boolean {
  return path.startsWith(routeOf('obtainOAuthToken').path) && `${headers['content-type']}` === 'application/json';
}

/** Checks the headers that keep clients and caches from misusing an answer. */
function expectSafeHeaders({ status, headers, baseUrl }: Answer): void {
  const isSecure = baseUrl.startsWith('https:');
  expect(headers['strict-transport-security']).toBe(isSecure ? 'max-age=31536000' : undefined);
  if (status !== 204) expect(headers['x-content-type-options']).toBe('nosniff');
  if (status >= 400) expect(headers['cache-control']).toBe('no-store');
}
