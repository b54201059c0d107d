import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { DefinitionBody, type IChainable, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import * as z from 'zod/mini';
import { CreateAndDelete } from '../../../examples/workflow/create-and-delete.ts';
import { withApp } from '../synthesise.ts';

/** A list of failures' names, and how often they are tried again or where they lead to. */
const Retrier = z.looseObject({
  ErrorEquals: z.array(z.string()),
  MaxAttempts: z.number(),
  IntervalSeconds: z.number(),
  MaxDelaySeconds: z.number(),
  BackoffRate: z.number(),
  JitterStrategy: z.literal('FULL'),
});
const Catcher = z.looseObject({ ErrorEquals: z.array(z.string()), Next: z.string() });

/** A state that has no others in it. */
const Plain = z.looseObject({
  Type: z.enum(['Task', 'Wait', 'Fail', 'Succeed', 'Map', 'Pass', 'Choice']),
  Next: z.optional(z.string()),
  Retry: z.optional(z.array(Retrier)),
  Catch: z.optional(z.array(Catcher)),
  TimeoutSeconds: z.optional(z.number()),
  Parameters: z.optional(z.looseObject({})),
});
export type State = z.infer<typeof Plain>;

const InMap = z.looseObject({ StartAt: z.string(), States: z.record(z.string(), Plain) });

/** A state machine in the language that Step Functions reads, as far as tests look at it. */
const Definition = z.looseObject({
  StartAt: z.string(),
  States: z.record(z.string(), z.extend(Plain, { ItemProcessor: z.optional(InMap) })),
});
export type Definition = z.infer<typeof Definition>;

const Machine = z.looseObject({ Properties: z.looseObject({ DefinitionString: z.string() }) });

export const BUCKET = 'exports';

/** The functions of a gateway that is elsewhere. */
export function tasksIn(stack: Stack) {
  const named = (name: string) =>
    LambdaFunction.fromFunctionArn(stack, name, `arn:aws:lambda:eu-central-1:123456789012:function:${name}`);
  return {
    createProject: named('createProjectTask'),
    deleteProject: named('deleteProjectTask'),
    bucket: Bucket.fromBucketName(stack, 'Bucket', BUCKET),
  };
}

/** Runs `use` with a stack, and leaves nothing behind. */
export function inStack<Result>(use: (stack: Stack) => Result): Promise<Result> {
  return withApp((app) => use(new Stack(app, 'Test')));
}

/** What is made of a stack that has one state machine. */
export function templateOf(build: (stack: Stack) => unknown): Promise<Template> {
  return inStack((stack) => {
    build(stack);
    return Template.fromStack(stack);
  });
}

function definitionIn(template: Template): Definition {
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  return Definition.parse(JSON.parse(Machine.parse(machine).Properties.DefinitionString));
}

/** The definition that states become. */
export async function definitionOf(build: (stack: Stack) => IChainable): Promise<Definition> {
  return definitionIn(
    await templateOf((stack) => {
      const definitionBody = DefinitionBody.fromChainable(build(stack));
      new StateMachine(stack, 'Machine', { definitionBody });
    }),
  );
}

export const exampleTemplate = await templateOf(
  (stack) => new CreateAndDelete(stack, 'Example', { companyId: 'acme', ...tasksIn(stack) }),
);
/** The example, for the company `acme`. */
export const EXAMPLE = definitionIn(exampleTemplate);

/** Reads a definition that is no stack's. */
export function readDefinition(definition: unknown): Definition {
  return Definition.parse(definition);
}
