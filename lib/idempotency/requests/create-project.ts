import * as z from 'zod/mini';
import { CREATION } from '../../contract/failures.ts';
import type { CheckedProject } from '../../contract/project.ts';
import type { ProjectService } from '../../service/port.ts';
import { type ProjectDocument, valueIn } from '../../service/project-document.ts';
import { recordOf } from '../../storage/record.ts';
import type { KeyedOperation } from '../keyed-operation.ts';
import { comparedFields, differences } from './compared-fields.ts';

const Created = recordOf({ projectId: z.int() });
export type Created = z.infer<typeof Created>;

/** A creation under its key. @param get reads the created project */
export const creation = (get: ProjectService['get']): KeyedOperation<CheckedProject, Created, ProjectDocument> => ({
  name: 'create',
  identity: comparedFields,
  ...CREATION,
  recorded: Created,
  replay: ({ projectId }, call) => get({ id: projectId }, undefined, call),
  shown: (project) => project,
  differences: (project, current) => differences(project, valueIn(current)),
});
