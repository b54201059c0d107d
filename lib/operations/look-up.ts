import * as z from 'zod/mini';
import { notSupported } from '../contract/failures.ts';
import { LOOKUP_BYTES, LOOKUP_NAMES, type LookupName } from '../contract/lookups.ts';
import { LOOKUP_PATHS } from '../contract/paths.ts';
import type { Route } from '../contract/routes.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { ProjectReads } from '../service/port.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { READ, READ_UPSTREAM } from './route-parts.ts';

function route<const Id extends string, const Path extends `/${string}`>(
  id: Id,
  path: Path,
  summary: string,
  query: Route['query'] = [],
) {
  const problems = ['unexpected-body', 'not-supported', ...READ_UPSTREAM] as const;
  return { ...READ, id, function: 'readProjects', path, summary, query, problems } as const;
}

const ROUTES = {
  domains: route('lookUpDomains', LOOKUP_PATHS.domains, 'Look up domains', ['active']),
  users: route('lookUpUsers', LOOKUP_PATHS.users, 'Look up users'),
  collaborators: route('lookUpCollaborators', LOOKUP_PATHS.collaborators, 'Look up collaborators'),
  styleGuides: route('lookUpStyleGuides', LOOKUP_PATHS.styleGuides, 'Look up style guides'),
} as const satisfies Readonly<Record<LookupName, Route>>;

/** The routes of all lookups. */
export const lookUpRoutes = [ROUTES.domains, ROUTES.users, ROUTES.collaborators, ROUTES.styleGuides] as const;

const HOSTED = 'The hosted service has no such list. Leave the field empty, or send an id of your own.';

/** Makes the handlers of all lookups. */
export function lookUp(service: ProjectReads, options: OperationOptions): readonly OperationHandler[] {
  return LOOKUP_NAMES.map((name) =>
    operation(ROUTES[name], options, async (request) => {
      if (!service.lookUp) throw notSupported(HOSTED);
      const entries = await service.lookUp(name, callContext(request));
      return { status: 200, json: await encodeText(JSON.stringify(entries)) };
    }),
  );
}

/** An entry of a list. Its fields are those of the upstream service. */
const LookupEntry = /* @__PURE__ */ z.looseObject({});

interface Described {
  readonly entries: string;
  readonly example: readonly object[];
}

const DESCRIBED: Readonly<Record<LookupName, Described>> = {
  domains: { entries: 'active domains', example: [{ id: 3, name: 'Marketing' }] },
  users: {
    entries: 'users of the company’s account',
    example: [{ id: 7, firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' }],
  },
  collaborators: {
    entries: 'collaborators of the company’s account',
    example: [{ userId: 8, firstName: 'Ben', lastName: 'Example', email: 'ben@example.com' }],
  },
  styleGuides: { entries: 'style guides', example: [{ id: 5, name: 'Web' }] },
};

export const lookUpDocs = (id: string): OperationDocs => {
  const name = LOOKUP_NAMES.find((each) => ROUTES[each].id === id);
  if (name === undefined) throw new RangeError(`${id} is not a lookup`);
  const { entries, example } = DESCRIBED[name];
  return {
    tag: 'Lookups',
    description: `Returns the ${entries}, as the upstream service gives them, in at most ${LOOKUP_BYTES} bytes. The operator must allow the lookup, and the company must have an account of its own at the upstream service.`,
    upstream:
      'Only an upstream service has the list, and only if the operator allows the lookup. Otherwise the answer is 501 `not-supported`.',
    answers: [{ status: 200, description: `The ${entries}.`, schema: z.array(LookupEntry), example }],
    schemas: { LookupEntry },
    clientTypes: { LookupEntry: null },
  };
};
