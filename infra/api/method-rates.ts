import type { MethodDeploymentOptions } from 'aws-cdk-lib/aws-apigateway';
import { OPTIONAL_ROUTES, type OptionalRoute } from '../../lib/contract/optional-routes.ts';
import { type Route, servedMethods } from '../../lib/contract/routes.ts';
import type { Rate } from '../../lib/contract/settings.ts';
import type { OperationId } from '../../lib/contract/wire-routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';

const OPERATIONS: readonly (Route | OptionalRoute)[] = [...ROUTES, ...OPTIONAL_ROUTES];

/** The id of an operation that a stack can serve. */
export type ServedOperation = OperationId | OptionalRoute['id'];

/** The ids of all operations that a stack can serve. */
export const SERVED_OPERATIONS: readonly string[] = OPERATIONS.map(({ id }) => id);

/** The rate of operations that store a project. One of average size takes about 30 write units, and a new table has 4,000 a second. */
const PROJECT: Rate = { perSecond: 200, burst: 400 };
/** The rate of sign-ins and refreshes. Strangers can call them, and each call reads the table. */
const SIGN_IN: Rate = { perSecond: 100, burst: 200 };
/** The rate of what strangers can call, such as public pages. Browsers and monitors ask for them. */
const PAGE: Rate = { perSecond: 50, burst: 100 };
/** The rate of public pages of some hundred KB. Each answer costs more than the rest of the request. */
const LARGE_PAGE: Rate = { perSecond: 10, burst: 20 };

/**
 * The rates of operations that strangers can call, or that take more capacity than others. The other operations have
 * the option `methodRate`.
 */
export const METHOD_RATES: Readonly<Partial<Record<ServedOperation, Rate>>> = {
  ...Object.fromEntries(OPERATIONS.filter(({ scope }) => scope === null).map(({ id }) => [id, PAGE])),
  createProject: PROJECT,
  putProject: PROJECT,
  putProjectByCustomId: PROJECT,
  // A message of an agent may create a project.
  answerAgent: PROJECT,
  obtainToken: SIGN_IN,
  obtainOAuthToken: SIGN_IN,
  refreshToken: SIGN_IN,
  receiveWebhook: { perSecond: 500, burst: 1_000 },
  getDescription: LARGE_PAGE,
  getReferenceFile: LARGE_PAGE,
  getConsoleFile: LARGE_PAGE,
};

/** The options that limit the rates of methods. */
interface RateOptions {
  readonly methodRate: Rate;
  readonly methodRates?: Readonly<Partial<Record<ServedOperation, Rate>>>;
}

/**
 * Returns the rates of the methods that have one of their own, as a stage of API Gateway takes them. A default rate is
 * never above `methodRate`.
 */
export function ratesOfMethods(
  routes: readonly (Route | OptionalRoute)[],
  { methodRate, methodRates = {} }: RateOptions,
): Record<string, MethodDeploymentOptions> {
  const chosen = new Map<string, Rate>(Object.entries({ ...limited(METHOD_RATES, methodRate), ...methodRates }));
  return Object.fromEntries(
    routes.flatMap((route) => {
      const rate = chosen.get(route.id);
      if (!rate) return [];
      const limits = { throttlingRateLimit: rate.perSecond, throttlingBurstLimit: rate.burst };
      return servedMethods(route).map((method) => [`${route.path}/${method}`, limits]);
    }),
  );
}

function limited(rates: Readonly<Record<string, Rate>>, max: Rate): Record<string, Rate> {
  return Object.fromEntries(
    Object.entries(rates).map(([id, { perSecond, burst }]) => [
      id,
      { perSecond: Math.min(perSecond, max.perSecond), burst: Math.min(burst, max.burst) },
    ]),
  );
}
