import * as z from 'zod/mini';
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
  another: 'another project',
  retryHint: ' A retry must send the same project with the same endDateUtc; only startDateUtc may differ.',
  recorded: Created,
  replay: ({ projectId }, call) => get({ id: projectId }, undefined, call),
  shown: (project) => project,
  deleted:
    'The project created with this idempotency key was deleted. Segue does not create it again. To create it, use a new key.',
  differences: (project, current) => differences(project, valueIn(current)),
});
