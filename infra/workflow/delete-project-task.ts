import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ProjectTask, type ProjectTaskProps } from './project-task.ts';
import { refuseBarePaths } from './state-input.ts';

/** The project, by its id, such as `JsonPath.numberAt('$.created.projectId')`, or by its custom id. */
type Named = { readonly projectId: number } | { readonly customId: string };

/** The scope is explicit, so that a missing task id never deletes the whole project. */
type Scope = { readonly scope: 'project' } | { readonly scope: 'task'; readonly taskId: string };

export type DeleteProjectTaskProps = ProjectTaskProps &
  Named &
  Scope & {
    /** The gateway's `functionOf('deleteProjectTask')`. */
    readonly deleteProject: IFunction;
  };

/** Deletes a project or one task of it. Its output is the receipt. It succeeds if the project was already gone. */
export class DeleteProjectTask extends ProjectTask {
  /** @throws {SettingError} if the company id is a path, an id is a path written as text, or a name is too long */
  constructor(scope: Construct, id: string, props: DeleteProjectTaskProps) {
    refuseBarePaths(
      'customId' in props ? props.customId : undefined,
      props.scope === 'task' ? props.taskId : undefined,
    );
    const named = 'projectId' in props ? { projectId: props.projectId } : { customId: props.customId };
    const scoped = props.scope === 'task' ? { scope: props.scope, taskId: props.taskId } : { scope: props.scope };
    super(scope, id, props, { function: props.deleteProject, command: { ...named, ...scoped } });
  }
}
