import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { isProblemType, PROBLEMS } from '../../../../lib/contract/problems.ts';
import { problemAnswer } from '../../../contract/answers.ts';

/** An answer as it stands on the wire. */
export interface WireAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = Buffer.from('HTTP/1.1 ');

/**
 * Reads everything that was answered on a connection; `100 Continue` is no answer.
 * @param mayLackBodies whether one of the requests may have been HEAD, whose answer tells the length of what it leaves out
 * @throws where the bytes are anything but whole answers
 */
export function answersIn(bytes: Buffer, mayLackBodies: boolean): WireAnswer[] {
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

/** The text of a body, with gzip undone. */
export function textOf({ headers, body }: WireAnswer): string {
  return (headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body).toString();
}

/** Requires of an answer what is true of every one: no server error but the team's, no failure without its problem. */
export function requireManners({ status, headers, body }: WireAnswer, mayLackBody: boolean): void {
  const requestId = headers.get('x-request-id');
  assert(requestId !== undefined && requestId !== '', 'no X-Request-Id');
  if (status < 400) {
    assert([200, 201, 202, 204].includes(status), `status ${status}`);
    return;
  }
  assert.equal(headers.get('content-type'), 'application/problem+json');
  if (mayLackBody && body.length === 0) return;
  const text = body.toString();
  const problem = problemAnswer.parse(JSON.parse(text));
  const type = problem.type.slice(problem.type.lastIndexOf('/') + 1);
  assert(isProblemType(type), `problem ${type}`);
  const { title, retryable, outcome } = problem;
  assert.deepEqual({ status, title, retryable, outcome }, PROBLEMS[type]);
  assert.equal(problem.status, status);
  assert.equal(problem.instance, requestId);
  assert(status < 500 || type === 'team-without-translator', `status ${status}: ${text}`);
  assert.doesNotMatch(text, /\bat \S+ \(|\.[cm]?[jt]s:\d|node:|node_modules/);
}
