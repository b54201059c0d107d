import { GATEWAY_RESPONSES } from './gateway-responses.ts';
import { type ProblemBody, problemBody } from './problem.ts';
import { EXAMPLES } from './problem-examples.ts';
import { EXPLANATIONS, type Explanation } from './problem-explanations.ts';
import { type Outcome, PROBLEMS, type ProblemEntry, type ProblemType } from './problems.ts';
import { COMMON_PROBLEMS, CREDENTIAL_PROBLEMS, ROUTES, type Route } from './routes.ts';

/** The content of a problem's page, in text for people. Backticks mark code. */
export interface ProblemPage extends Explanation {
  readonly type: ProblemType;
  /** The `type` of its answers. */
  readonly uri: string;
  readonly title: string;
  readonly status: number;
  /** Whether a retry can help. */
  readonly retry: string;
  /** Whether the request took effect. */
  readonly outcome: string;
  /** The operations that may answer with it. */
  readonly answeredBy: readonly string[];
  readonly example: ProblemBody;
}

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  'not-applied': '`not-applied`: the request had no effect',
  applied: '`applied`: the request took effect',
  unknown: '`unknown`: Segue does not know',
};

/** A request id in the format of API Gateway. */
const EXAMPLE_INSTANCE = '5e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e';

/** Builds the page of a problem type. `problemsUrl` is the URL of the problem pages. */
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
  if (retryable) return 'yes: the same request may succeed later';
  return outcome === 'unknown' ? 'only after you check the outcome' : 'no: the same request fails again';
}

function answeredBy(type: ProblemType): string[] {
  const is = (listed: ProblemType) => listed === type;
  const operations = ROUTES.filter(({ problems }: Route) => problems.some(is));
  const all = [
    ...(COMMON_PROBLEMS.some(is) ? ['every operation'] : []),
    ...(CREDENTIAL_PROBLEMS.some(is) ? ['every operation that requires credentials'] : []),
    ...operations.map(({ id, method, path }) => `\`${id}\`: \`${method} ${path}\``),
    ...(isOfTheGateway(type) ? ['the gateway, before it calls an operation'] : []),
  ];
  return all.length > 0 ? all : ['no operation of this version'];
}

/** Whether the gateway answers with the problem by itself. */
function isOfTheGateway(type: ProblemType): boolean {
  return type === 'method-not-allowed' || GATEWAY_RESPONSES.some(({ problem }) => problem === type);
}
