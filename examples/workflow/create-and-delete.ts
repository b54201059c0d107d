import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { DefinitionBody, Fail, JsonPath, StateMachine, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { CreateProjectTask, DeleteProjectTask } from 'segue-cdk';

export interface CreateAndDeleteProps {
  readonly companyId: string;
  readonly createProject: IFunction;
  readonly deleteProject: IFunction;
  /** Where the projects are. */
  readonly bucket: IBucket;
}

/**
 * A state machine that creates a project, deletes one task of it, and deletes the project. Its input is
 * `{ "key": "<of the project's object>", "taskId": "<the task>" }`. Each kind of failure ends in a state of its own.
 */
export class CreateAndDelete extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, { companyId, createProject, deleteProject, bucket }: CreateAndDeleteProps) {
    super(scope, id);
    const fail = (name: string) => new Fail(this, name, { error: name, causePath: '$.failure.Cause' });
    const notNow = fail('NotNow');
    const toCorrect = fail('ProjectToCorrect');

    const create = new CreateProjectTask(this, 'CreateProject', {
      createProject,
      companyId,
      projectFrom: { bucket, key: JsonPath.stringAt('$.key') },
      resultPath: '$.created',
      failures: {
        'invalid-project': toCorrect,
        'malformed-json': toCorrect,
        'team-without-translator': fail('TeamToComplete'),
        'custom-id-in-use': fail('CustomIdInUse'),
        Terminal: fail('NotCreated'),
        Retryable: notNow,
        Unknown: fail('ProjectToLookUp'),
      },
    });
    const deletion = {
      deleteProject,
      companyId,
      projectId: JsonPath.numberAt('$.created.projectId'),
      failures: { Terminal: fail('NotDeleted'), Retryable: notNow, Unknown: fail('DeletionToLookUp') },
    };
    const deleteTask = new DeleteProjectTask(this, 'DeleteTask', {
      ...deletion,
      scope: 'task',
      taskId: JsonPath.stringAt('$.taskId'),
      resultPath: '$.deletedTask',
    });
    const deleteProjectWhole = new DeleteProjectTask(this, 'DeleteProject', {
      ...deletion,
      scope: 'project',
      resultPath: '$.deletedProject',
    });
    const definition = create.next(deleteTask).next(deleteProjectWhole).next(new Succeed(this, 'Done'));
    this.machine = new StateMachine(this, 'Machine', { definitionBody: DefinitionBody.fromChainable(definition) });
  }
}
