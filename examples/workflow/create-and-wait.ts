import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { DefinitionBody, Fail, QueryLanguage, StateMachine, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { CreateProjectTask, WaitForProjectTask } from 'segue-cdk';

export interface CreateAndWaitProps {
  readonly companyId: string;
  readonly createProject: IFunction;
  readonly waitForProject: IFunction;
  /** Where the projects are. */
  readonly bucket: IBucket;
}

/**
 * A state machine of JSONata that creates a project, and waits until it is translated. Its input is `{ "key": "<of the
 * project's object>" }`, and its output `{ "projectId", "total" }`.
 */
export class CreateAndWait extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, { companyId, createProject, waitForProject, bucket }: CreateAndWaitProps) {
    super(scope, id);
    const queryLanguage = QueryLanguage.JSONATA;
    const fail = (name: string) =>
      Fail.jsonata(this, name, { error: name, cause: '{% $states.input.failure.Cause %}' });
    const failures = { Terminal: fail('Refused'), Retryable: fail('NotNow'), Unknown: fail('ToLookUp') };
    const create = new CreateProjectTask(this, 'CreateProject', {
      createProject,
      companyId,
      queryLanguage,
      projectFrom: { bucket, key: '{% $states.input.key %}' },
      assign: { projectId: '{% $states.result.projectId %}' },
      failures,
    });
    const wait = new WaitForProjectTask(this, 'WaitForTranslations', {
      waitForProject,
      companyId,
      queryLanguage,
      projectId: '{% $projectId %}',
      outputs: { projectId: '{% $projectId %}', total: '{% $states.result.total %}' },
      failures,
      timedOut: fail('TooLate'),
    });
    this.machine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(create.next(wait).next(new Succeed(this, 'Done'))),
      queryLanguage,
    });
  }
}
