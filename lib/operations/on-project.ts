import { PROJECTS_PATH } from '../contract/paths.ts';
import type { Route } from '../contract/routes.ts';
import type { HttpResult, RequestMiddleware } from '../http/http-result.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { refByCustomId, refById } from '../http/project-ref.ts';
import type { HttpRequest } from '../http/request.ts';
import type { ProjectRef } from '../service/port.ts';

/** The definition of an operation on one project. It has two routes: one names the project by its id, one by its custom id. */
export type ProjectOperation = Omit<Route, 'path' | 'summary'> & {
  /** The end of the path, after the project. */
  readonly path: '' | `/${string}`;
  /** What the operation does, for the route with the id and for that with the custom id. */
  readonly summaries: readonly [byId: string, byCustomId: string];
};

type Both<O extends ProjectOperation> = Omit<O, 'id' | 'path' | 'summaries'> & { readonly summary: string };
type ById<O extends ProjectOperation> = Both<O> & {
  readonly id: O['id'];
  readonly path: `${typeof PROJECTS_PATH}/{id}${O['path']}`;
};
type ByCustomId<O extends ProjectOperation> = Both<O> & {
  readonly id: `${O['id']}ByCustomId`;
  readonly path: `${typeof PROJECTS_PATH}/custom/{customId}${O['path']}`;
};

/** Returns both routes of an operation on one project. */
export function projectRoutes<const O extends ProjectOperation>(
  operation: O,
): readonly [byId: ById<O>, byCustomId: ByCustomId<O>] {
  const { id, path, summaries, ...both } = operation;
  return [
    { ...both, id, path: `${PROJECTS_PATH}/{id}${path}`, summary: summaries[0] },
    {
      ...both,
      id: `${id}ByCustomId`,
      path: `${PROJECTS_PATH}/custom/{customId}${path}`,
      summary: summaries[1],
    },
  ];
}

/**
 * Does the work of an operation on one project, after the checks that all operations share.
 * @param readRef reads the project's id or custom id from the path. It throws `project-not-found`, so other faults that the
 *   request has are found before it is called.
 */
export type ProjectWork<Service> = (
  request: HttpRequest,
  readRef: () => ProjectRef,
  service: Service,
) => Promise<HttpResult>;

/**
 * Makes the handlers of both routes of an operation on one project.
 * @param body the middleware that reads the body; by default the operation rejects a body
 */
export function onProject<Service>(
  [byId, byCustomId]: readonly [Route, Route],
  work: ProjectWork<Service>,
  body?: RequestMiddleware,
) {
  return (service: Service, options: OperationOptions): readonly [OperationHandler, OperationHandler] => [
    operation(byId, { ...options, body }, (request) => work(request, () => refById(request.segment('id')), service)),
    operation(byCustomId, { ...options, body }, (request) =>
      work(request, () => refByCustomId(request.segment('customId')), service),
    ),
  ];
}
