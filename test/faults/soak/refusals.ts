import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { HttpRequest } from '../../support/http.ts';
import { creation, draft, type Live, TASK } from './pool.ts';

const PROJECTS = '/segments/projects';
const fresh = () => creation(draft(false));
const withHeader = (name: string, value: string): HttpRequest => {
  const request = fresh();
  return { ...request, headers: { ...request.headers, [name]: value } };
};
const withQuery = ({ id }: Live, query: string): HttpRequest => ({
  method: 'DELETE',
  path: `${PROJECTS}/${id}?${query}`,
});

/** A request that is refused, made of a project that exists; `gone` is one that was deleted. */
type Refusal = (live: Live, gone: Live) => HttpRequest;

/** Requests that are refused, by the problem that says so. None of them changes anything. */
export const REFUSALS: readonly (readonly [ProblemType, Refusal])[] = [
  ['malformed-json', () => ({ ...fresh(), body: '{' })],
  ['invalid-project', () => ({ ...fresh(), body: '{"name":null}' })],
  ['too-large', () => ({ ...fresh(), body: ' '.repeat(4_194_305) })],
  ['unsupported-media-type', () => withHeader('Content-Type', 'text/plain')],
  ['invalid-header', () => withHeader('Idempotency-Key', 'x'.repeat(256))],
  ['not-acceptable', () => withHeader('Accept', 'text/html')],
  ['unknown-parameter', (live) => withQuery(live, `taskid=${encodeURIComponent(TASK)}`)],
  ['invalid-parameter', (live) => withQuery(live, 'taskId=')],
  ['unexpected-body', (live) => ({ ...withQuery(live, 'taskId=x'), body: '{}' })],
  ['task-not-found', (live) => withQuery(live, 'taskId=x')],
  ['project-not-found', (_, gone) => withQuery(gone, 'taskId=x')],
  ['route-not-found', () => ({ method: 'GET', path: '/nowhere' })],
  ['method-not-allowed', () => ({ method: 'PUT', path: PROJECTS, body: '{}' })],
  ['custom-id-in-use', ({ customId }) => creation({ ...draft(false), customId })],
  ['idempotency-key-reused', (live) => creation({ ...live, name: 'Another' })],
  ['project-deleted', (_, gone) => creation(gone)],
];
