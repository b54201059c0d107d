import { basicHeader, readBasic } from '../../../lib/contract/basic-credentials.ts';
import { checkProject } from '../../../lib/contract/check-project.ts';
import { parseJson } from '../../../lib/contract/json.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { type ParameterName, readQuery } from '../../../lib/contract/parameters.ts';
import { Problem, problemHeaders } from '../../../lib/contract/problem.ts';
import { PROBLEMS } from '../../../lib/contract/problems.ts';
import { TokenRequest } from '../../../lib/contract/token.ts';
import { refByCustomId, refById } from '../../../lib/http/project-ref.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { CallContext, ProjectService } from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import type { SimulatedService, SimulatorRequest, SimulatorResponse } from '../../../packages/simulator/server.ts';

const BASE = 'https://service.example';
const PROJECTS = '/segments/projects';
const TOKEN_MS = 1_800_000;

interface DoorOptions {
  readonly service: ProjectService;
  readonly now: () => number;
  /** The accepted API keys of each account. */
  readonly accounts: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Answers requests for the hosted service without a gateway. Bodies and headers are the same as far as a client reads
 * them, and it takes a fraction of the time.
 */
export function serviceDoor({ service, now, accounts }: DoorOptions): SimulatedService {
  let requests = 0;

  return async (asked) => {
    const requestId = `upstream-${++requests}`;
    try {
      return await answer(asked, {
        requestId,
        requestedBy: { kind: 'workflow', id: null },
        deadline: deadlineAt(now() + 28_500, now),
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const headers = lowered(problemHeaders(error.name, error.occurrence));
      return { status: PROBLEMS[error.name].status, headers, body: bytesOf(error.body(`${BASE}/problems`, requestId)) };
    }
  };

  async function answer(asked: SimulatorRequest, call: Omit<CallContext, 'companyId'>): Promise<SimulatorResponse> {
    const { pathname, searchParams } = new URL(asked.path, BASE);
    if (pathname === '/authentication/token') return json(200, tokenFor(asked));
    const companyId = accountOf(asked.headers.authorization ?? '');
    const query = (names: readonly ParameterName[]) =>
      readQuery(names, Object.fromEntries([...searchParams].map(([name]) => [name, searchParams.getAll(name)])));
    if (pathname === PROJECTS) return collection(asked, query, { ...call, companyId });
    const [, custom, name = '', kind] =
      /^\/segments\/projects\/(custom\/)?([^/]*)(?:\/(segments|progress))?$/.exec(pathname) ?? [];
    const ref = custom === undefined ? refById(name) : refByCustomId(name);
    const { taskId, status } = query(kind === 'segments' ? ['taskId', 'status'] : ['taskId']);
    if (kind === 'progress') return json(200, await service.progress(ref, taskId, { ...call, companyId }));
    if (kind === 'segments') {
      const selection = { taskId, status, maxBytes: LIMITS.wholeListBytes, isGzip: false };
      return project(200, await service.segments(ref, selection, { ...call, companyId }));
    }
    if (asked.method === 'GET') return project(200, await service.get(ref, taskId, { ...call, companyId }));
    const scope = taskId === undefined ? ({ kind: 'project' } as const) : ({ kind: 'task', taskId } as const);
    await service.delete(ref, scope, { ...call, companyId });
    return { status: 204, headers: {}, body: new Uint8Array() };
  }

  async function collection(
    { method, body = new Uint8Array() }: SimulatorRequest,
    query: (names: readonly ParameterName[]) => ReturnType<typeof readQuery>,
    call: CallContext,
  ): Promise<SimulatorResponse> {
    if (method === 'POST') {
      const clock = { nowMs: now(), toleranceMs: service.startDateToleranceMs };
      return project(201, await service.create(checkProject(parseJson(body), clock), call));
    }
    const { limit = 50, cursor: after } = query(['limit', 'cursor']);
    const { projects, next } = await service.list({ limit, after }, call);
    const link = next === undefined ? {} : { link: `<${BASE}${PROJECTS}?cursor=c${next.toString(36)}>; rel="next"` };
    return json(200, projects, link);
  }

  /**
   * Returns the account of the credentials.
   * @throws {Problem} `unauthenticated`
   */
  function accountOf(authorization: string): string {
    const { companyId = '', apiKey } = readBasic(authorization) ?? {};
    const [, account = companyId, untilMs = ''] = /^Bearer ([\w-]+)\.(\d+)$/.exec(authorization) ?? [];
    const isKey = apiKey !== undefined && [accounts[account]].flat().includes(apiKey);
    const isIn = untilMs === '' ? isKey : now() < Number(untilMs);
    if (isIn && Object.hasOwn(accounts, account)) return account;
    throw new Problem('unauthenticated', { detail: 'The credentials are wrong.' });
  }

  /**
   * Returns a token for the credentials of a request.
   * @throws {Problem} `unauthenticated`
   */
  function tokenFor({ body = new Uint8Array() }: SimulatorRequest): object {
    const { username: companyId, password: apiKey } = TokenRequest.parse(parseJson(body));
    const account = accountOf(basicHeader({ companyId, apiKey }));
    const token = `${account}.${now() + TOKEN_MS}`;
    return { AccessToken: token, RefreshToken: token, expiresIn: TOKEN_MS / 1_000 };
  }
}

function project(status: number, { json: text }: Pick<ProjectDocument, 'json'>): SimulatorResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: decodeText(text) };
}

function json(status: number, value: unknown, headers: SimulatorResponse['headers'] = {}): SimulatorResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: bytesOf(value) };
}

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
