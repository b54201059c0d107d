import { expect } from 'vitest';
import type { RequestedBy } from '../../lib/contract/receipt.ts';
import type { Route } from '../../lib/contract/routes.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import type { Json } from '../support/projects.ts';
import { type ListAnswer, listAnswer, type ProjectAnswer, projectAnswer } from './answers.ts';
import { problemOf } from './problems.ts';

/** A running API and the credentials of a company of it that has nothing else to do. */
export interface Target {
  readonly name: string;
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly authorization: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** How many bytes of the most that a service takes are needed for what is added on the way to it; 0 unless said. */
  readonly addedBytes?: number;
  /** Whether dates are answered as they were sent; in front of another service they are as that service gives them. */
  readonly echoesDates?: true;
  /** Whether a start date that is left out is the time of the attempt, as at every door but HTTP. */
  readonly stampsStart?: true;
  /** What a receipt says asked for a deletion, unless it was a key. */
  readonly requestedBy?: RequestedBy;
}

/** The `addedBytes` of Segue in front of a service: a project gets a custom id on the way, beside the caller's. */
export const ADDED_IN_FRONT = 300;

export interface Answer extends HttpAnswer {
  readonly baseUrl: string;
}

export interface Options {
  /** `null` leaves out a header that is sent otherwise; a list sends it several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  /** A body, as JSON. */
  readonly json?: unknown;
  /** A body, byte for byte; sent as JSON unless a header says otherwise. */
  readonly body?: string | Uint8Array;
}

export const PROJECTS = '/segments/projects';

/** The path of a project. */
export function byId(id: number | string): string {
  return `${PROJECTS}/${id}`;
}

/** The path of a project by its custom id. */
export function byCustomId(customId: string): string {
  return `${PROJECTS}/custom/${encodeURIComponent(customId)}`;
}

/** The path of a problem's page. */
export function pageOf(type: string): string {
  return `/problems/${type}`;
}

/** The path of an operation that can be asked for. */
export function operationPath(operationId: string): string {
  return `/operations/${operationId}`;
}

/** Nobody has this operation: there is no key by which it would be asked for. */
export const UNKNOWN_OPERATION = 'A'.repeat(43);

/** A path of an operation, with something in the place of each parameter. */
export function examplePath(path: Route['path']): string {
  const values = { id: '1', customId: 'x', operationId: UNKNOWN_OPERATION, type: 'invalid-project', source: 'none' };
  return Object.entries(values).reduce((filled, [name, value]) => filled.replace(`{${name}}`, value), `${path}`);
}

/** Speaks to one target, checks what is true of every answer, and remembers which projects it has to remove. */
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

  /** Asks, and gives what is answered. */
  protected async exchange(method: string, path: string, { headers = {}, json, body }: Options): Promise<Answer> {
    const content = json === undefined ? body : JSON.stringify(json);
    const all: Record<string, string | readonly string[] | null> = {
      authorization: this.target.authorization,
      accept: 'application/json',
      // A firewall refuses whoever does not say what it is.
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

  /** Posts a project and gives whatever is answered. */
  post(project: unknown, query = '', options?: Options): Promise<Answer> {
    return this.send('POST', PROJECTS + query, { json: project, ...options });
  }

  /** Checks a project without creating it and gives whatever is answered. */
  check(project: unknown): Promise<Answer> {
    return this.post(project, '?validateOnly=true');
  }

  /** Creates a project, which is expected to succeed. */
  async create(project: Json, options?: Options): Promise<ProjectAnswer> {
    return projectIn(await this.post(project, '', options), 201);
  }

  /** Reads a project, which is expected to be there. */
  async read(path: string, options?: Options): Promise<ProjectAnswer> {
    return projectIn(await this.get(path, options), 200);
  }

  /** Every project of the company, following the pages. */
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

  /** Deletes what was created since the last time. */
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

/** The project of an answer with a status. */
export function projectIn(answer: Answer, status: 200 | 201): ProjectAnswer {
  expect(answer.status, answer.text.slice(0, 2_000)).toBe(status);
  return projectAnswer.parse(JSON.parse(answer.text));
}

/** Path and query of the page that the `Link` header calls the next, relative to the base URL. */
export function nextPage({ baseUrl, headers: { link } }: Answer): string | undefined {
  if (link === undefined) return undefined;
  const [, reference = ''] = /^<([^>]*)>; *rel="next"$/.exec(String(link)) ?? [];
  expect(reference, `Link: ${link}`).not.toBe('');
  const url = new URL(reference, `${baseUrl}${PROJECTS}`).href;
  expect(url.startsWith(`${baseUrl}${PROJECTS}?`), url).toBe(true);
  return url.slice(baseUrl.length);
}

/** What holds of every answer of every operation. */
function expectGoodManners(method: string, path: string, answer: Answer): void {
  const { status, headers, bytes } = answer;
  expect(headers['x-request-id'], 'X-Request-Id').toMatch(/\S/);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  if (method === 'HEAD' || status === 204) expect(bytes).toHaveLength(0);
  else if (status >= 400) problemOf(answer);
  else {
    const isPage = path.startsWith(pageOf('')) || path.startsWith('/docs');
    const type = isPage ? /^(?:application\/json|text\/html)\b/ : /^application\/json\b/;
    expect(headers['content-type']).toMatch(type);
  }
}

/** The headers that keep clients and caches from misusing an answer. */
function expectSafeHeaders({ status, headers, baseUrl }: Answer): void {
  const isSecure = baseUrl.startsWith('https:');
  expect(headers['strict-transport-security']).toBe(isSecure ? 'max-age=31536000' : undefined);
  if (status !== 204) expect(headers['x-content-type-options']).toBe('nosniff');
  if (status >= 400) expect(headers['cache-control']).toBe('no-store');
}
