import { checkProject } from '../../../lib/contract/check.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { cursorAfter, PARAMETERS } from '../../../lib/contract/parameters.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { withoutTask } from '../../../lib/hosted/tasks.ts';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../../../lib/service/http-client/transport.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { type Client, upstreamClient } from '../../../lib/upstream/client.ts';
import { type Kind, kindOf } from './server.ts';
import { ACCOUNT, answered } from './world.ts';

/** An account at a service that is played in this process. */
export interface PlayedAccount {
  readonly projects: Map<number, Project>;
  /** What was asked, such as `GET /segments/projects/1`. */
  readonly asked: string[];
  /** Called with each request before it is answered; what it throws is the answer. */
  before: (exchange: TransportRequest) => void;
  /** The same once it is carried out. */
  after: (exchange: TransportRequest) => void;
  /** Makes of what the service has the JSON value that it answers. */
  shown: (value: unknown, kind: Shown) => unknown;
  readonly client: Client;
}

/** What an answer with projects is to. */
export type Shown = Exclude<Kind, 'remove'> | 'list';

export interface AccountOptions {
  /** How many projects a page has; without, there are no pages. */
  readonly pageSize?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The id of the first project. */
  readonly firstId?: number;
}

export function playAccount({ pageSize, now, firstId = 1 }: AccountOptions): PlayedAccount {
  const projects = new Map<number, Project>();
  const asked: string[] = [];
  const credentials = cachedSecret(async () => JSON.stringify(ACCOUNT), readUpstreamCredentials, { now });
  let nextId = firstId;

  function answerTo({ method, path, body = '' }: TransportRequest): TransportResponse {
    const { pathname, searchParams } = new URL(path, 'http://played.invalid');
    if (method === 'POST') {
      const clock = { nowMs: now(), toleranceMs: LIMITS.startDateToleranceMs };
      const project = answered(checkProject(JSON.parse(Buffer.from(body).toString()), clock), nextId++, now());
      projects.set(project.id, project);
      return json(201, account.shown(project, 'create'));
    }
    if (pathname === '/segments/projects') return page(searchParams.get('cursor') ?? undefined);
    const ref = decodeURIComponent(pathname.replace(/^\/segments\/projects\/(custom\/)?/, ''));
    const found = [...projects.values()].find(({ id, customId }) =>
      pathname.includes('/custom/') ? customId === ref : id === Number(ref),
    );
    if (!found) return json(404, {});
    const kind = kindOf(method, path);
    if (kind !== 'remove') return json(200, account.shown(found, kind));
    const taskId = searchParams.get('taskId');
    const rest = taskId === null ? undefined : withoutTask(found, taskId);
    if (taskId === null) projects.delete(found.id);
    else if (rest) projects.set(found.id, rest);
    return rest || taskId === null ? json(204, undefined) : json(404, {});
  }

  function page(cursor: string | undefined): TransportResponse {
    const after = cursor === undefined ? Number.POSITIVE_INFINITY : (PARAMETERS.cursor.read(cursor) ?? 0);
    const rest = [...projects.values()].filter(({ id }) => id < after).sort((a, b) => b.id - a.id);
    const shown = rest.slice(0, pageSize);
    const last = shown.at(-1);
    const link = shown.length < rest.length && last ? { link: `<?cursor=${cursorAfter(last.id)}>; rel="next"` } : {};
    return json(
      200,
      account.shown(
        shown.map(({ segments: _, ...head }) => head),
        'list',
      ),
      link,
    );
  }

  const account: PlayedAccount = {
    projects,
    asked,
    before: () => {},
    after: () => {},
    shown: (value) => value,
    client: upstreamClient({
      transport: async (exchange) => {
        asked.push(`${exchange.method} ${exchange.path}`);
        account.before(exchange);
        const answer = answerTo(exchange);
        account.after(exchange);
        return answer;
      },
      credentials,
      now,
      // Every request is sent once.
      random: () => Number.POSITIVE_INFINITY,
    }),
  };
  return account;
}

/** A service that cannot be heard, whether it carries out what it is asked or not. */
export function silence(): never {
  throw new NoAnswer(true, 'ECONNRESET');
}

function json(status: number, value: unknown, headers: TransportResponse['headers'] = {}): TransportResponse {
  const body = value === undefined ? '' : JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) };
}
