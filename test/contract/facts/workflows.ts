import type { FactGroup } from './fact.ts';

export const WORKFLOWS: FactGroup = {
  heading: 'What workflows take for true',
  shows: 'How it shows',
  facts: [
    {
      fact: 'A function that throws fails its state with the `name` of the error as `Error` and `{ "errorType", "errorMessage", "trace" }` as `Cause`, or with the message alone.',
      sure: 'docs for the name, seen for the cause',
      where: '`lib/workflow/task-handler.ts`: the message is the problem as JSON.',
      byHand: 'the example with a project `{}`: it ends in ProjectToCorrect, whose cause has the problem',
    },
    {
      fact: 'If Lambda stops a function at its timeout, its state fails with `Sandbox.Timedout`, formerly `Lambda.Unknown`. If the process ends, the state fails with `Runtime.ExitError`.',
      sure: 'seen',
      where:
        '`infra/workflow/retried-errors.ts`; another name is handled in the same way, but the reconciling state does not retry it.',
      byHand:
        'a task with a timeout of a second: `aws lambda update-function-configuration --timeout 1 --function-name <of createProjectTask>`, and the events of the execution; deploy again',
    },
    {
      fact: 'A redriven execution keeps its `$$.Execution.Id`, and runs the failed state again with the same input.',
      sure: 'docs',
      where: 'The key of a task: `infra/workflow/project-task.ts`.',
      byHand:
        'an execution that failed with `States.Runtime` after CreateProject: `aws stepfunctions redrive-execution`, and no second project',
    },
    {
      fact: 'Only the item selector of a map has `$$.Map.Item.Index`.',
      sure: 'docs',
      where: 'A construct takes the index from its input.',
      byHand: 'a map whose item selector has it: two items make two projects',
    },
    {
      fact: '`States.ALL` stands alone and last, and catches everything but `States.DataLimitExceeded` and `States.Runtime`.',
      sure: 'docs',
      where: 'Unknown failures go to the reconciling state: `infra/workflow/project-task.ts`.',
      byHand: 'a machine that may not call the function: the execution visits CreateProjectWait',
    },
    {
      fact: 'With `ResultPath: null`, a catcher passes on the input unchanged.',
      sure: 'docs',
      where: 'The reconciling state sends the same input again.',
      byHand: 'the execution before: CreateProjectReconcile is entered with the input of CreateProject',
    },
    {
      fact: 'Without permission to list the bucket, a missing object is `AccessDenied`, 403. Reading a version needs only `s3:GetObjectVersion`.',
      sure: 'docs',
      where: '`lib/workflow/projects-in-s3.ts`, `infra/stores/buckets.ts`',
      byHand:
        'the task with a `key` that is not there: `Segue.Terminal.invalid-parameter` at `/projectFrom`; with the `versionId` of one that is: a project',
    },
    {
      fact: 'S3 sends the length of an object before its first byte.',
      sure: 'docs',
      where: '`lib/workflow/projects-in-s3.ts` reads no byte of an object that is too large.',
      byHand: 'the task with an object of 5 MB: `Segue.Terminal.too-large`',
    },
  ],
};
