import * as z from 'zod/mini';
import type { Exchange, Sees } from './fact.ts';
import type { WireAnswer } from './wire.ts';

/** The error if a fact does not hold. The message gives the actual status, problem and headers. */
class OtherwiseSeen extends Error {
  override readonly name = 'OtherwiseSeen';
}

/**
 * Expects an answer to match the exchange.
 * @param url the base URL, under which problems have their pages
 * @throws {OtherwiseSeen} if the answer differs
 */
export function expectSeen(exchange: Exchange, answer: WireAnswer, url: string): void {
  const { status, problem, headers = {}, body } = exchange.sees;
  const isSeen =
    (status === '4xx' ? Math.floor(answer.status / 100) === 4 : answer.status === status) &&
    (problem === undefined || problemOf(answer) === `${url}/problems/${problem}`) &&
    Object.entries(headers).every(([name, value]) => isAs(value, answer.headers[name])) &&
    (body === undefined || (answer.text !== undefined && body.test(answer.text)));
  if (!isSeen)
    throw new OtherwiseSeen(
      `${nameOf(exchange)} must be ${wordsOf(exchange.sees).join(', ')}; seen: ${seenIn(answer)}`,
    );
}

/**
 * Expects some answers to be 200, and all others to match the exchange.
 * @throws {OtherwiseSeen} if an answer is neither, or if one of the two kinds is missing
 */
export function expectSome(exchange: Exchange, answers: readonly WireAnswer[], url: string): void {
  const others = answers.filter(({ status }) => status !== 200);
  for (const answer of others) expectSeen(exchange, answer, url);
  if (others.length > 0 && others.length < answers.length) return;
  throw new OtherwiseSeen(`${others.length} of ${answers.length} answers to ${nameOf(exchange)} are other than 200`);
}

function isAs(expected: RegExp | null, value: string | undefined): boolean {
  return expected === null ? value === undefined : value !== undefined && expected.test(value);
}

const ProblemAnswer = z.object({ type: z.string() });

/** Returns the `type` of a problem. */
function problemOf({ headers, text }: WireAnswer): string | undefined {
  if (headers['content-type'] !== 'application/problem+json') return undefined;
  try {
    return ProblemAnswer.parse(JSON.parse(text ?? '')).type;
  } catch {
    return undefined;
  }
}

function nameOf({ method = 'GET', path }: Exchange): string {
  return `${method} ${path}`;
}

/** Returns the expected answer in words. Each word after the first is a name or a pattern. */
export function wordsOf({ status, problem, headers = {}, body }: Sees): readonly [status: string, ...string[]] {
  const others = Object.entries(headers).map(([name, value]) => (value ? `${name}: ${value}` : `no ${name}`));
  return [String(status), ...(problem ? [problem] : []), ...others, ...(body ? [`body: ${body}`] : [])];
}

function seenIn(answer: WireAnswer): string {
  return `${answer.status}, ${problemOf(answer) ?? 'no problem'}, ${JSON.stringify(answer.headers)}`;
}
