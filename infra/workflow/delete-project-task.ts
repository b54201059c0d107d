import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { refuseBarePaths } from './fixed.ts';
import { ProjectTask, type ProjectTaskProps } from './project-task.ts';

/** The project, by one of its names: such as `JsonPath.numberAt('$.created.projectId')`. */
type Named = { readonly projectId: number } | { readonly customId: string };

/** What is deleted, always said: a task that got lost on the way never means the whole project. */
type Scope = { readonly scope: 'project' } | { readonly scope: 'task'; readonly taskId: string };

export type DeleteProjectTaskProps = ProjectTaskProps &
  Named &
  Scope & {
    /** The gateway's `functionOf('deleteProjectTask')`. */
    readonly deleteProject: IFunction;
  };

/** Deletes a project or one task of it. Its output is the receipt, or that it was gone already, which is success too. */
export class DeleteProjectTask extends ProjectTask {
  /** @throws {SettingError} where the company is a path, where an id is one that is not said to be, or a name is too long */
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
