import * as z from 'zod/mini';
import { PUT } from '../../contract/failures.ts';
import type { CallContext, ProjectRef } from '../../service/port.ts';
import { type ProjectDocument, valueIn } from '../../service/project-document.ts';
import type { PutRequest, PutResult } from '../../service/put.ts';
import { recordOf } from '../../storage/record.ts';
import type { KeyedOperation, RecordedOperation } from '../keyed-operation.ts';
import { comparedFields, differences } from './compared-fields.ts';

const DonePut = recordOf(() => ({
  projectId: z.int(),
  customId: z.nullable(z.string()),
  outcome: z.enum(['create', 'update', 'unchanged']),
  segments: recordOf(() => ({ kept: z.int(), changed: z.int(), added: z.int(), removed: z.int() })),
  targetLanguages: recordOf(() => ({ kept: z.int(), added: z.int(), removed: z.int() })),
  automaticCharacters: z.int(),
}));
/** What is recorded of a put that is not outdated: the project, and the counts of the answer. */
export type DonePut = z.infer<typeof DonePut>;

const Outdated = recordOf(() => ({
  outcome: z.literal('outdated'),
  revision: z.int(),
  // The ids are not beside the outcome: the deletion of the project does not end the replay of an outdated put.
  project: z.optional(recordOf(() => ({ projectId: z.int(), customId: z.nullable(z.string()) }))),
}));

const RecordedPut = z.union([DonePut, Outdated]);
export type RecordedPut = z.infer<typeof RecordedPut>;

/** What other requests need to know of a put. */
export const RECORDED_PUT: RecordedOperation<RecordedPut> = {
  name: 'put',
  recorded: RecordedPut,
  deleted: PUT.deleted,
};

/** A put under its key. @param read reads the project as it now stands */
export const putting = (
  read: (ref: ProjectRef, call: CallContext) => Promise<ProjectDocument>,
): KeyedOperation<PutRequest, RecordedPut, PutResult> => ({
  ...RECORDED_PUT,
  identity: ({ project, ...request }) => ({ ...request, project: comparedFields(project) }),
  ...PUT,
  async replay(recorded, call) {
    if (recorded.outcome === 'outdated') return recorded;
    const document = await read({ id: recorded.projectId }, call);
    return { ...recorded, document: async () => document };
  },
  shown(result) {
    if (result.outcome !== 'outdated') return result.document();
    const { outcome, revision } = result;
    return { outcome, revision };
  },
  async differences({ project }, result) {
    if (result.outcome === 'outdated') return [];
    // The project has the custom id by which the put names it, also if the request left it out.
    return differences(project, valueIn(await result.document())).filter((pointer) => pointer !== '/customId');
  },
});
