import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { oauthErrorCode } from '../../../../lib/contract/oauth.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../../../../lib/contract/problems.ts';
import { oauthErrorAnswer, problemAnswer } from '../../../contract/answers.ts';
import { asObject } from '../../../support/projects.ts';
import type { Utterance } from './draft.ts';
import type { Conversation, Heard } from './run.ts';
import { CANARY, type World } from './world.ts';

/** The changes that the answers report. */
export interface Deeds {
  /** The created projects by their ids, as JSON of the answers. */
  readonly created: Map<number, string>;
  /** The operation ids of accepted creates. */
  readonly accepted: Set<string>;
  /** The last path segments of successful deletions, decoded. The value says whether only tasks were deleted. */
  readonly deleted: Map<string, 'task' | 'project'>;
  /** The ids and custom ids of projects whose translations or languages were changed. */
  readonly changed: Set<string>;
  /** The ids and custom ids of projects that a put may have changed. */
  readonly put: Set<string>;
  answers: number;
}

/**
 * Requires an answer for each request of a connection. Bytes that are not a whole HTTP request need no answer in two
 * cases: a request before them was answered, or they are only line ends.
 */
export function judge({ utterances, isAbandoned }: Conversation, { bytes, error }: Heard, deeds: Deeds): void {
  if (isAbandoned) return;
  assert.notEqual(error, 'no end', 'the connection was left open');
  const hasHead = utterances.some((utterance) => /HEAD/i.test(utterance.bytes.toString('latin1')));
  const answers = answersIn(bytes, hasHead);
  deeds.answers += answers.length;
  for (const answer of answers) requireManners(answer, hasHead);
  const sound = utterances.filter(({ isSound }) => isSound).length;
  if (sound === utterances.length) assert.equal(answers.length, sound, 'an answer for every request');
  // A client that is still sending may miss the refusal.
  const least = sound === 0 && saysSomething(utterances) && error === undefined ? 1 : sound;
  assert(answers.length >= least, `${answers.length} answers, ${least} or more expected (${error})`);
  for (const [index, answer] of answers.entries()) {
    const utterance = utterances[Math.min(index, utterances.length - 1)];
    if (utterance && answer.status < 300) note(utterance, answer, deeds);
  }
}

function saysSomething(utterances: readonly Utterance[]): boolean {
  return utterances.some(({ bytes }) => /[^\r\n]/.test(bytes.toString('latin1')));
}

function note(
  { bytes, isCut }: Utterance,
  answer: WireAnswer,
  { created, accepted, deleted, changed, put }: Deeds,
): void {
  assert(!isCut, 'a request without its end was carried out');
  const [, method, path = '', query = ''] =
    /^[\r\n]*(DELETE|PATCH|PUT) +([^ ?]+)(\S*)/.exec(bytes.toString('latin1')) ?? [];
  const names = path.replace(/\/$/, '').split('/').map(decodeURIComponent);
  if (method === 'PUT') put.add(names.at(-1) ?? '');
  if (answer.status === 201) {
    const text = textOf(answer);
    const { id, projectId = id } = asObject(JSON.parse(text));
    created.set(Number(projectId), text);
    return;
  }
  if (answer.status === 202) {
    accepted.add(String(asObject(JSON.parse(textOf(answer)))['operationId']));
    return;
  }
  if (path === '' || method === 'PUT') return;
  if (method === 'PATCH') {
    changed.add(names.at(names.at(-1) === 'translations' ? -2 : -3) ?? '');
    return;
  }
  const name = names.at(-1) ?? '';
  const parameters = new URLSearchParams(query.replaceAll(';', '&')).keys();
  const isTask = parameters.some((parameter) => parameter !== 'revision');
  deleted.set(name, isTask && deleted.get(name) !== 'project' ? 'task' : 'project');
}

/** An answer as read from the connection. */
interface WireAnswer {
  readonly status: number;
  /** Headers by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = Buffer.from('HTTP/1.1 ');

/**
 * Reads all answers of a connection, without `100 Continue`.
 * @param mayLackBodies whether a request may have been HEAD, whose answer has a length and no body
 * @throws if the bytes are not complete answers
 */
function answersIn(bytes: Buffer, mayLackBodies: boolean): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf(HEAD_END);
    assert(end >= 0, 'the answer breaks off in its head');
    const [line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\w ]+$/.exec(line)?.[1]);
    assert(status >= 100, `no status line: ${line}`);
    rest = rest.subarray(end + HEAD_END.length);
    if (status === 100) continue;
    const headers = new Map(lines.map((each) => fieldOf(each)));
    const lacksBody = mayLackBodies && (rest.length === 0 || rest.subarray(0, STATUS_LINE.length).equals(STATUS_LINE));
    const length = status === 204 || lacksBody ? 0 : lengthIn(headers);
    assert(rest.length >= length, 'the answer breaks off in its body');
    answers.push({ status, headers, body: rest.subarray(0, length) });
    rest = rest.subarray(length);
  }
  return answers;
}

function fieldOf(line: string): [string, string] {
  const [, name, value] = /^([\w-]+): (.*)$/.exec(line) ?? [];
  assert(name !== undefined && value !== undefined, `no header: ${line}`);
  return [name.toLowerCase(), value];
}

function lengthIn(headers: WireAnswer['headers']): number {
  const length = headers.get('content-length') ?? '';
  assert(/^\d+$/.test(length), 'no length of the body');
  return Number(length);
}

/** Returns the text of a body, with gzip undone. */
function textOf({ headers, body }: WireAnswer): string {
  return (headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body).toString();
}

/** The server errors that a right answer may have: a team's, and that of a lookup, which the hosted service has not. */
const ALLOWED: readonly ProblemType[] = ['team-without-translator', 'not-supported'];

/** Requires that the answer is no other server error, and that a failure has a problem or an OAuth error. */
function requireManners({ status, headers, body }: WireAnswer, mayLackBody: boolean): void {
  const requestId = headers.get('x-request-id');
  assert(requestId !== undefined && requestId !== '', 'no X-Request-Id');
  if (status < 400) {
    // The root redirects browsers to the documentation.
    assert([200, 201, 202, 204, 302].includes(status), `status ${status}`);
    return;
  }
  const isOAuth = headers.get('content-type') === 'application/json';
  if (!isOAuth) assert.equal(headers.get('content-type'), 'application/problem+json');
  if (mayLackBody && body.length === 0) return;
  const text = body.toString();
  const type = isOAuth ? typeOfOAuthError(text) : typeOfProblem(text, requestId);
  assert.equal(status, PROBLEMS[type].status);
  assert(status < 500 || ALLOWED.includes(type), `status ${status}: ${text}`);
  assert.doesNotMatch(text, /\bat \S+ \(|\.[cm]?[jt]s:\d|node:|node_modules/);
}

function typeOfProblem(text: string, requestId: string): ProblemType {
  const { type: uri, status, title, retryable, outcome, instance } = problemAnswer.parse(JSON.parse(text));
  const type = typeIn(uri);
  assert.deepEqual({ status, title, retryable, outcome }, PROBLEMS[type]);
  assert.equal(instance, requestId);
  return type;
}

function typeOfOAuthError(text: string): ProblemType {
  const { error, error_uri: uri } = oauthErrorAnswer.parse(JSON.parse(text));
  const type = typeIn(uri);
  assert.equal(error, oauthErrorCode(type));
  return type;
}

function typeIn(uri: string): ProblemType {
  const type = uri.slice(uri.lastIndexOf('/') + 1);
  assert(isProblemType(type), `problem ${type}`);
  return type;
}

/** Requires that the log has no errors, and that log and output contain no text of a request. */
export function requireDiscretion({ gateway, free, guarded }: World): void {
  const log = gateway.stderr();
  for (const line of log.split('\n').slice(0, -1)) assert.equal(asObject(JSON.parse(line))['level'], 'info', line);
  const secrets = [free, ...guarded].flatMap((company) => [
    company.apiKey,
    company.authorization.slice('Basic '.length),
    company.bearer.slice('Bearer '.length),
  ]);
  for (const text of [CANARY, Buffer.from(CANARY).toString('base64').slice(0, -2), ...secrets]) {
    assert(!log.includes(text), 'the log holds text of a request');
    assert(text === free.apiKey || !gateway.stdout().includes(text), 'the output holds text of a request');
  }
}
