import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { TaskInput } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { refuseBarePaths } from './fixed.ts';
import { ProjectTask, type ProjectTaskProps } from './project-task.ts';

/** A project that is an object of a bucket, which is one of the gateway's `projectsFrom`. */
export interface ProjectFrom {
  readonly bucket: IBucket;
  /** Such as `JsonPath.stringAt('$.key')`. */
  readonly key: string;
  /** Such as `JsonPath.stringAt('$.versionId')`: with it a retry finds what the first attempt found. */
  readonly versionId?: string;
}

/** What is created: the project itself, or where it is, so that none of it stands in the execution's history. */
type Creation = { readonly project: TaskInput } | { readonly projectFrom: ProjectFrom };

export type CreateProjectTaskProps = ProjectTaskProps &
  Creation & {
    /** The gateway's `functionOf('createProjectTask')`. */
    readonly createProject: IFunction;
  };

/** Creates a project, once in an execution. Its output is `{ projectId, segments, targetLanguages }`. */
export class CreateProjectTask extends ProjectTask {
  /** @throws {SettingError} where the company is a path, where a key is one that is not said to be, or a name is too long */
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
