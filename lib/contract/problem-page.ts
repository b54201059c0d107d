import { GATEWAY_RESPONSES } from './gateway-responses.ts';
import { type ProblemBody, problemBody } from './problem.ts';
import { EXAMPLES } from './problem-examples.ts';
import { EXPLANATIONS, type Explanation } from './problem-explanations.ts';
import { type Outcome, PROBLEMS, type ProblemEntry, type ProblemType } from './problems.ts';
import { COMMON_PROBLEMS, CREDENTIAL_PROBLEMS, ROUTES, type Route } from './routes.ts';

/** Everything that is told about a problem type, in texts for people. Backticks are around what is code. */
export interface ProblemPage extends Explanation {
  readonly type: ProblemType;
  /** Its URI, as an answer has it. */
  readonly uri: string;
  readonly title: string;
  readonly status: number;
  /** Whether to send the same request again. */
  readonly retry: string;
  /** What became of the request. */
  readonly outcome: string;
  /** Who may answer with it. */
  readonly answeredBy: readonly string[];
  readonly example: ProblemBody;
}

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  'not-applied': '`not-applied`: nothing was done',
  applied: '`applied`: it was done',
  unknown: '`unknown`: it cannot be told',
};

/** A request id as API Gateway makes them. */
const EXAMPLE_INSTANCE = '5e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e';

/** Makes the page of a problem type. `problemsUrl` is where the pages are. */
export function problemPage(type: ProblemType, problemsUrl: string): ProblemPage {
  const entry = PROBLEMS[type];
  const example = problemBody(type, EXAMPLES[type], problemsUrl, EXAMPLE_INSTANCE);
  return {
    type,
    uri: example.type,
    title: entry.title,
    status: entry.status,
    retry: retryOf(entry),
    outcome: OUTCOME_TEXTS[entry.outcome],
    ...EXPLANATIONS[type],
    answeredBy: answeredBy(type),
    example,
  };
}

function retryOf({ retryable, outcome }: ProblemEntry): string {
  if (retryable) return 'yes: the very same request may succeed later';
  return outcome === 'unknown' ? 'not before looking what became of it' : 'no: the very same request fails again';
}

function answeredBy(type: ProblemType): string[] {
  const is = (listed: ProblemType) => listed === type;
  const operations = ROUTES.filter(({ problems }: Route) => problems.some(is));
  const all = [
    ...(COMMON_PROBLEMS.some(is) ? ['every operation'] : []),
    ...(CREDENTIAL_PROBLEMS.some(is) ? ['every operation that asks for credentials'] : []),
    ...operations.map(({ id, method, path }) => `\`${id}\`: \`${method} ${path}\``),
    ...(isOfTheGateway(type) ? ['the gateway, in place of an operation'] : []),
  ];
  return all.length > 0 ? all : ['no operation of this version'];
}

/** What the gateway says by itself: its responses, and what a path does not take. */
function isOfTheGateway(type: ProblemType): boolean {
  return type === 'method-not-allowed' || GATEWAY_RESPONSES.some(({ problem }) => problem === type);
}
