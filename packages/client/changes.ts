import { anyOf } from '../../lib/service/http-client/shapes.ts';
import type { Change } from './operations.ts';
import { RESPONSES } from './responses.ts';
import type {
  DeleteOptions,
  NewTranslation,
  PutOptions,
  PutPreview,
  PutResult,
  Receipt,
  Translation,
  ValidateOptions,
  WhatToDelete,
} from './types.ts';
import * as shapes from './wire-shapes.ts';

/** The shape of the answer to a put. */
const putResult = anyOf<PutResult>(shapes.putSummaryShape, shapes.outdatedPutShape);
/** The shape of the answer to a put that is only planned. */
export const putPreview = anyOf<PutPreview>(shapes.putPlanShape, shapes.outdatedPutPlanShape);

/** The route and the path of a request. */
type Target = Pick<Change<unknown>, 'route' | 'pathParameters'>;

/** Returns the request of a put. Its answer does not contain the project. */
export function putOf(target: Target, body: object, options: PutOptions): Change<PutResult> {
  const { plan, strict } = options;
  const prefer = ['return=minimal', handling({ strict })].filter((preference) => preference !== undefined).join(', ');
  return { ...target, body, query: putQuery(options), prefer, plan, shape: putResult };
}

/** Returns the query of a put. */
export function putQuery({ taskId, revision }: Pick<PutOptions, 'taskId' | 'revision'>) {
  return { taskId, revision };
}

/**
 * Returns the request of a deletion.
 * @throws {TypeError} if `what` is neither `project` nor an object with a task id
 */
export function deletionOf(target: Target, what: WhatToDelete, options: DeleteOptions): Change<Receipt> {
  const { plan, revision } = options;
  return {
    ...target,
    query: { taskId: taskIdOf(what), revision },
    prefer: 'return=representation',
    plan,
    shape: shapes.receiptShape,
    resultOf: ({ receipt }) => receipt,
  };
}

/** Returns the request that writes translations. */
export function translationsOf(target: Target, entries: readonly NewTranslation[]): Change<readonly Translation[]> {
  const { translations: shape } = RESPONSES;
  return { ...target, body: entries, shape, resultOf: ({ translations }) => translations };
}

/** Returns the id of the task to delete; `undefined` for a whole project. */
export function taskIdOf(what: WhatToDelete): string | undefined {
  // A caller in JavaScript may have left out `what`.
  const taskId = what === 'project' ? undefined : what?.taskId;
  if (what !== 'project' && typeof taskId !== 'string')
    throw new TypeError('The argument "what" must be "project", or an object with a taskId');
  return taskId;
}

/** Returns the preference of a creation or a put. */
export function handling({ strict }: Pick<ValidateOptions, 'strict'>): 'handling=strict' | undefined {
  return strict ? 'handling=strict' : undefined;
}
