import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { TaskInput } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { ProjectTask, type ProjectTaskProps } from './project-task.ts';
import { refuseBarePaths } from './state-input.ts';

/** A project by reference: an object of a bucket in the gateway's `projectsFrom`. */
export interface ProjectFrom {
  readonly bucket: IBucket;
  /** Such as `JsonPath.stringAt('$.key')`. */
  readonly key: string;
  /** Such as `JsonPath.stringAt('$.versionId')`. With it, a retry reads the same object as the first attempt. */
  readonly versionId?: string;
}

/** The project, or a reference to it, which keeps content out of the execution's history. */
type Creation = { readonly project: TaskInput } | { readonly projectFrom: ProjectFrom };

export type CreateProjectTaskProps = ProjectTaskProps &
  Creation & {
    /** The gateway's `functionOf('createProjectTask')`. */
    readonly createProject: IFunction;
  };

/** Creates a project, exactly once in an execution. Its output is `{ projectId, segments, targetLanguages }`. */
export class CreateProjectTask extends ProjectTask {
  /** @throws {SettingError} if the company id is a path, a key is a path written as text, or a name is too long */
  constructor(scope: Construct, id: string, props: CreateProjectTaskProps) {
    super(scope, id, props, { function: props.createProject, command: commandOf(props) });
  }
}

function commandOf(creation: Creation) {
  if ('project' in creation) return { project: creation.project.value };
  const { bucket, ...object } = creation.projectFrom;
  refuseBarePaths(object.key, object.versionId);
  return { projectFrom: { bucket: bucket.bucketName, ...object } };
}
