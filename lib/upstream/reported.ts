import * as z from 'zod/mini';
import { FAULT_CODES, type Fault, type FaultCode, isFaultCode } from '../contract/fault.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf, pointerTo } from '../contract/pointer.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../contract/problems.ts';
import { parseJson } from './json.ts';
import type { Answer } from './transport.ts';

const ReportedProblem = z.object({ type: z.string(), errors: z.catch(z.array(z.unknown()), []) });
const ReportedFault = z.object({ pointer: z.string(), code: z.custom<FaultCode>(isFaultCode) });

/** What a service that speaks our contract says about a failure. */
export interface Reported {
  readonly type: ProblemType;
  /** Where and which; in our own words and without the allowed values, since the service may quote what it was sent. */
  readonly errors: readonly Fault[];
}

/**
 * Reads a problem of our own catalogue from an answer.
 * @param sent the value that was sent, into which faults may point
 * @returns `undefined` where the answer is none, or has another status than its type
 */
export function reportedBy({ status, headers, body }: Answer, sent: unknown): Reported | undefined {
  if (!/^application\/problem\+json\b/i.test(headers['content-type'] ?? '')) return undefined;
  const problem = ReportedProblem.safeParse(parseJson(body));
  if (!problem.success) return undefined;
  const type = problem.data.type.slice(problem.data.type.lastIndexOf('/') + 1);
  if (!isProblemType(type) || PROBLEMS[type].status !== status) return undefined;
  return { type, errors: [...faultsIn(problem.data.errors.slice(0, LIMITS.faults), sent)] };
}

function* faultsIn(errors: readonly unknown[], sent: unknown): Generator<Fault> {
  for (const error of errors) {
    const fault = ReportedFault.safeParse(error);
    if (!fault.success) continue;
    const { pointer, code } = fault.data;
    yield { pointer: placeIn(sent, pointer), code, detail: FAULT_CODES[code] };
  }
}

/** As much of a pointer as leads to something that was sent: the rest may be any text. */
function placeIn(sent: unknown, pointer: string): string {
  const path: string[] = [];
  let place = sent;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const fields = fieldsOf(place);
    if (!fields || !Object.hasOwn(fields, name)) break;
    path.push(name);
    place = fields[name];
  }
  return pointerTo(path);
}
