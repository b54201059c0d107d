import * as z from 'zod/mini';
import { CREATION } from '../../contract/failures.ts';
import type { CheckedProject } from '../../contract/project.ts';
import type { CallContext, ProjectRef } from '../../service/port.ts';
import { type ProjectDocument, valueIn } from '../../service/project-document.ts';
import { recordOf } from '../../storage/record.ts';
import type { KeyedOperation, RecordedOperation } from '../keyed-operation.ts';
import { comparedFields, differences } from './compared-fields.ts';

const Created = recordOf(() => ({ projectId: z.int() }));
export type Created = z.infer<typeof Created>;

/** What other requests need to know of a creation. */
export const RECORDED_CREATION: RecordedOperation<Created> = {
  name: 'create',
  recorded: Created,
  deleted: CREATION.deleted,
};

/** A creation under its key. @param read reads the created project */
export const creation = (
  read: (ref: ProjectRef, call: CallContext) => Promise<ProjectDocument>,
): KeyedOperation<CheckedProject, Created, ProjectDocument> => ({
  ...RECORDED_CREATION,
  identity: comparedFields,
  ...CREATION,
  replay: ({ projectId }, call) => read({ id: projectId }, call),
  shown: (project) => project,
  differences: (project, current) => differences(project, valueIn(current)),
});
