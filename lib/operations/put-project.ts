import * as z from 'zod/mini';
import { OperationStarted, only, Quote } from '../contract/answers.ts';
import { projectNotFound } from '../contract/failures.ts';
import { required } from '../contract/fields.ts';
import { projectPath } from '../contract/paths.ts';
import { ProjectRequest } from '../contract/project.ts';
import { PublishedProject } from '../contract/published-project.ts';
import type { Route } from '../contract/routes.ts';
import type { HttpResult } from '../http/http-result.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { prefersMinimal } from '../http/negotiation.ts';
import { callContext, type OperationHandler, operation } from '../http/operation.ts';
import { readPlan } from '../http/planned.ts';
import { decodeSegment, refById } from '../http/project-ref.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodeObject } from '../service/encoded-text.ts';
import type { ProjectChanges, ProjectRef } from '../service/port.ts';
import type { OutdatedPut as Outdated, PutPlan as Plan, PutCounts, PutResult } from '../service/put.ts';
import { putToken, readPutToken } from '../service/put-plan.ts';
import * as example from './docs/examples.ts';
import { type Answer, KEY, type OperationDocs, planHeader, prefer, REPLAYED, RUNNING } from './docs/operation-docs.ts';
import { projectRoutes } from './on-project.ts';
import { BODY, CHANGED_UPSTREAM, WITH_KEY } from './route-parts.ts';
import {
  type ProjectOptions,
  preferencesApplied,
  readProject,
  requireDeliverable,
  runAsPreferred,
} from './sent-project.ts';

export const putProjectRoutes = /* @__PURE__ */ projectRoutes({
  id: 'putProject',
  function: 'changeProjects',
  method: 'PUT',
  path: '',
  summaries: ['Change a project', 'Create or change a project by custom id'],
  scope: ['create', 'update'],
  query: ['validateOnly', 'taskId', 'revision'],
  body: 'project',
  problems: [
    ...BODY,
    'invalid-project',
    'team-without-translator',
    'project-not-found',
    'task-not-found',
    'custom-id-in-use',
    'quota-exceeded',
    'plan-outdated',
    ...WITH_KEY,
    'project-deleted',
    'content-lost',
    'not-supported',
    ...CHANGED_UPSTREAM,
  ],
});

/** A put, and the project that its path names. */
interface NamedPut {
  /** The custom id in the path. */
  readonly customId?: string;
  /** Reads which project is put. It throws `project-not-found`, so other faults are found before it is called. */
  readonly readRef: () => ProjectRef;
}

/** Makes the handlers of `PUT /segments/projects/{id}` and `PUT /segments/projects/custom/{customId}`. */
export function putProject(
  service: ProjectChanges,
  options: ProjectOptions,
): readonly [byId: OperationHandler, byCustomId: OperationHandler] {
  const handlerOf = (route: Route, named: (request: HttpRequest) => NamedPut) =>
    operation(route, { ...options, body: jsonBody('project') }, (request) =>
      put(request, named(request), service, options),
    );
  const [byId, byCustomId] = putProjectRoutes;
  return [
    handlerOf(byId, (request) => ({ readRef: () => refById(request.segment('id')) })),
    handlerOf(byCustomId, (request) => {
      const customId = decodeSegment(request.segment('customId'));
      if (customId === undefined) throw projectNotFound();
      // No project can have a custom id that breaks the rules of the field. A put reports that as a fault of the project.
      return { customId, readRef: () => ({ customId }) };
    }),
  ];
}

const PLANNED = { name: 'put', hint: 'Request it with validateOnly=true.', read: readPutToken };

async function put(
  request: HttpRequest,
  { customId, readRef }: NamedPut,
  service: ProjectChanges,
  options: ProjectOptions,
): Promise<HttpResult> {
  const { taskId, revision, validateOnly } = request.parameters;
  const rules = { isPut: true, ...(customId !== undefined && { customId }) } as const;
  const { project, supportsPair, applied } = await readProject(request, service, options, rules);
  const call = { ...callContext(request), supportsPair };
  const planned = readPlan(request, PLANNED);
  const requestFor = (ref: ProjectRef) => ({ ref, project, taskId, revision, planned });
  const quote: QuoteOf = async ({ automaticCharacters }) => {
    const { quoteOf } = await import('../service/quote.ts');
    return quoteOf(project, { engine: await options.quotedEngine?.(), automaticCharacters });
  };
  if (validateOnly) {
    const plan = await service.planPut(requestFor(readRef()), call);
    return { status: 200, headers: preferencesApplied(applied), json: await encodeObject(await planOf(plan, quote)) };
  }
  const isMinimal = prefersMinimal(request.header('prefer'));
  return runAsPreferred(
    request,
    { ...options, applied },
    {
      async work(idempotency) {
        const ref = readRef();
        if (!isMinimal) requireDeliverable(request, project);
        return service.put(requestFor(ref), { ...call, idempotency });
      },
      async answer(result, headers) {
        if (result.outcome === 'outdated')
          return { status: 200, headers, json: await encodeObject(outdatedOf(result)) };
        const { outcome, projectId } = result;
        const hasEffect = outcome !== 'unchanged';
        const json = isMinimal ? await encodeObject(await summaryOf(result, quote)) : (await result.document()).json;
        const preferred = isMinimal ? preferencesApplied([...applied, 'return=minimal']) : {};
        const location = outcome === 'create' && { Location: request.baseUrl + projectPath({ id: projectId }) };
        const status = outcome === 'create' ? 201 : 200;
        return { status, headers: { ...location, ...headers, ...preferred }, json, hasEffect };
      },
    },
  );
}

// The schemas are made in pure calls, so that a bundle without the documentation has none of them.

const COUNTS = /* @__PURE__ */ (() => {
  const count = (description: string) => required(z.int(), description);
  return {
    segments: required(
      z.strictObject({
        kept: count('Segments with the same content as before. Their ids and translations stay.'),
        changed: count('Segments whose custom id stays and whose content changes. Their ids stay.'),
        added: count('New segments.'),
        removed: count('Segments that the project no longer has, with their translations.'),
      }),
      'How many segments stay, change, come and go.',
    ),
    targetLanguages: required(
      z.strictObject({
        kept: count('Target languages that the project had before.'),
        added: count('New target languages.'),
        removed: count('Target languages that the project no longer has, with their translations.'),
      }),
      'How many target languages stay, come and go.',
    ),
    quote: required(Quote, 'What the project asks for, and what the engine of automatic translation gets now.'),
  };
})();
const outcome = (description: string) => required(z.enum(['create', 'update', 'unchanged']), description);

/** The answer to a put whose revision is too low. */
const OutdatedPut = /* @__PURE__ */ (() =>
  z.strictObject({
    outcome: required(z.literal('outdated'), 'The put came too late. It changed nothing.'),
    revision: required(z.int(), 'The highest revision of the project so far.'),
  }))();

/** The answer to a put with `return=minimal`. */
const PutSummary = /* @__PURE__ */ (() =>
  z.strictObject({
    outcome: outcome('What the put did.'),
    ...COUNTS,
    projectId: required(z.int(), 'The id of the project.'),
    customId: required(z.nullable(z.string()), 'The custom id of the project.'),
  }))();

/** The answer to a put with `validateOnly=true`: what the put would do now. */
const PutPlan = /* @__PURE__ */ (() =>
  z.strictObject({
    valid: required(z.literal(true), 'Always true. For an invalid project, Segue answers with a problem instead.'),
    outcome: outcome('What the put would do.'),
    ...COUNTS,
    plan: required(
      z.string(),
      'A token for the header `If-Match` of the put, in quotation marks. Segue then does only what this plan shows.',
    ),
  }))();

/** The answer to a put with `validateOnly=true` whose revision is too low. */
const OutdatedPutPlan = /* @__PURE__ */ (() => z.strictObject({ valid: PutPlan.shape.valid, ...OutdatedPut.shape }))();

/** Makes the quote of a put, from how many characters it gives to the engine. */
type QuoteOf = (counts: PutCounts) => Promise<Quote>;

async function planOf(plan: Plan, quote: QuoteOf): Promise<z.infer<typeof PutPlan | typeof OutdatedPutPlan>> {
  const valid = true;
  if (plan.outcome === 'outdated') return { valid, ...outdatedOf(plan) };
  return { valid, outcome: plan.outcome, ...countsOf(plan), quote: await quote(plan), plan: putToken(plan) };
}

async function summaryOf(result: Exclude<PutResult, Outdated>, quote: QuoteOf): Promise<z.infer<typeof PutSummary>> {
  const { outcome, projectId, customId } = result;
  return { outcome, ...countsOf(result), quote: await quote(result), projectId, customId };
}

function outdatedOf({ outcome, revision }: Outdated): z.infer<typeof OutdatedPut> {
  return { outcome, revision };
}

function countsOf({ segments, targetLanguages }: PutCounts): Pick<PutCounts, 'segments' | 'targetLanguages'> {
  return { segments, targetLanguages };
}

/** @param id the id of the route; only that with the custom id can create a project */
export function putProjectDocs(id: string): OperationDocs {
  const minimal = {
    description: 'With `Prefer: return=minimal`: what the put did.',
    schema: PutSummary,
    condition: 'with `Prefer: return=minimal`',
    headers: REPLAYED,
  };
  const whole = { schema: PublishedProject, example: example.project, headers: REPLAYED };
  const headers = ['Location', ...REPLAYED] as const;
  const created: readonly Answer[] = [
    { ...whole, status: 201, description: 'The project has been created.', headers },
    { ...minimal, status: 201, headers },
  ];
  return {
    tag: 'Projects',
    description:
      'Makes the project be what the body says. A put keeps the ids and translations of segments whose content stays, and changes nothing if the project is equal already. By custom id, it creates a project that does not exist. With `taskId`, it changes only the segments of that task. To see what a put would do, set `validateOnly=true`.',
    forAgents:
      'Makes the project be what `project` says, and creates it if the custom id is new. It removes segments and target languages that `project` lacks. It keeps the ids and translations of segments whose content stays. First set `validateOnly`, which shows what would go and returns a `plan`. Then pass that `plan`, so that nothing else is changed, and an `idempotencyKey`. In front of another service, it cannot change a project.',
    scopes:
      'The key needs the scope `create` to create a project, `update` to change one, and also `delete` to remove a segment or a target language. For `validateOnly=true`, `create` or `update` is enough.',
    upstream:
      'In front of another service, a put only creates a project, or finds that the project is equal to the last put or creation. It answers 501 `not-supported` to a change.',
    request: { schema: ProjectRequest, example: example.request },
    headers: [
      KEY,
      prefer(
        'return=minimal',
        'With `return=minimal`, the answer says what the put did, without the project. With `respond-async`, the answer has the operation in place of the project. With `handling=strict`, the hosted service refuses a project if the engine cannot translate one of its languages automatically.',
      ),
      planHeader(
        'The `plan` of the put, in quotation marks. The put then does only what the plan shows. If that has changed, the answer is 412 `plan-outdated`, and nothing is changed.',
        putToken(example.putPlan),
      ),
    ],
    answers: [
      { ...whole, status: 200, description: 'The project is what the body says.' },
      { ...minimal, status: 200 },
      {
        status: 200,
        description: 'The `revision` is too low, so the put changed nothing.',
        schema: OutdatedPut,
        condition: 'if the `revision` is too low',
        headers: REPLAYED,
      },
      {
        status: 200,
        description: 'With `validateOnly=true`: what the put would do. Nothing was changed.',
        schema: PutPlan,
        condition: 'with `validateOnly=true`',
        headers: ['Preference-Applied'],
      },
      {
        status: 200,
        description: 'With `validateOnly=true` and a `revision` that is too low: the put would change nothing.',
        schema: OutdatedPutPlan,
        condition: 'with `validateOnly=true`, if the `revision` is too low',
        headers: ['Preference-Applied'],
      },
      ...(id === putProjectRoutes[1].id ? created : []),
      {
        status: 202,
        description:
          'The operation. The request asked for it with `Prefer: respond-async`, or the put takes longer than a request may.',
        schema: OperationStarted,
        condition: 'with `Prefer: respond-async`',
        example: example.started,
        ...RUNNING,
      },
    ],
    result: {
      outcome: only(OutdatedPut.shape.outcome, 'After a put that came too late and changed nothing: `outdated`.'),
      revision: only(z.int(), 'After such a put: the highest revision of the project so far.'),
    },
    schemas: { PutSummary, OutdatedPut, PutPlan, OutdatedPutPlan },
  };
}
