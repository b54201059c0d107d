import { randomUUID } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { DefinitionBody, type IChainable, type QueryLanguage, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import * as z from 'zod/mini';
import { CreateAndDelete } from '../../../examples/workflow/create-and-delete.ts';
import { failureName, PROBLEM_TYPES } from '../../../lib/contract/problems.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { createProjectTask } from '../../../lib/workflow/create-project-task.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project-task.ts';
import { objectProblems } from '../../../lib/workflow/project-reference.ts';
import type { TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { execute as executeMachine } from '../../../packages/cli/workflow/interpreter/execution.ts';
import { type Machine as ReadMachine, readMachine } from '../../../packages/cli/workflow/interpreter/machine.ts';
import type { TaskCallbacks } from '../../../packages/cli/workflow/interpreter/task-callbacks.ts';
import { contextOf } from '../../lib/http/fixture.ts';
import { heldNow } from '../../lib/support.ts';
import type { Json } from '../../support/projects.ts';
import { withApp } from '../synthesise.ts';

const Plain = z.looseObject({
  Type: z.enum(['Task', 'Wait', 'Fail', 'Succeed', 'Map', 'Pass', 'Choice']),
  TimeoutSeconds: z.optional(z.number()),
  Retry: z.optional(z.array(z.looseObject({ JitterStrategy: z.literal('FULL') }))),
  Parameters: z.optional(z.looseObject({})),
  Arguments: z.optional(z.looseObject({})),
});
const Processor = z.looseObject({ StartAt: z.string(), States: z.record(z.string(), Plain) });
const StateSchema = z.extend(Plain, { ItemProcessor: z.optional(Processor) });
const Definition = z.looseObject({ StartAt: z.string(), States: z.record(z.string(), StateSchema) });
/** The parts of a state machine in the Amazon States Language that tests read. */
export type Definition = z.infer<typeof Definition>;
type State = z.infer<typeof Plain>;

/** Reads a definition. */
export function readDefinition(definition: unknown): Definition {
  return Definition.parse(definition);
}

const Partition = z.strictObject({ Ref: z.literal('AWS::Partition') });
const Text = z.union([
  z.string(),
  z.strictObject({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.union([z.string(), Partition]))]) }),
]);
const Machine = z.looseObject({ Properties: z.looseObject({ DefinitionString: Text }) });

/** Returns a text of a template, in the partition `aws`. */
function textOf(text: z.infer<typeof Text>): string {
  if (typeof text === 'string') return text;
  const [, parts] = text['Fn::Join'];
  return parts.map((part) => (typeof part === 'string' ? part : 'aws')).join('');
}

export const BUCKET = 'exports';

/** Returns the functions and the bucket of another stack. */
export function stackResources(stack: Stack) {
  const named = (name: string) =>
    LambdaFunction.fromFunctionArn(stack, name, `arn:aws:lambda:eu-central-1:123456789012:function:${name}`);
  return {
    createProject: named('createProjectTask'),
    putProject: named('putProjectTask'),
    deleteProject: named('deleteProjectTask'),
    getProgress: named('getProgressTask'),
    waitForProject: named('waitForProjectTask'),
    bucket: Bucket.fromBucketName(stack, 'Bucket', BUCKET),
  };
}

/** Runs `use` with a stack in a temporary folder. */
export function inStack<Result>(use: (stack: Stack) => Result): Promise<Result> {
  return withApp((app) => use(new Stack(app, 'Test')));
}

/** Returns the template of a stack. */
export function templateOf(build: (stack: Stack) => unknown): Promise<Template> {
  return inStack((stack) => {
    build(stack);
    return Template.fromStack(stack);
  });
}

function definitionIn(template: Template): Definition {
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  return Definition.parse(JSON.parse(textOf(Machine.parse(machine).Properties.DefinitionString)));
}

/** Returns the definition of a state machine with these states. */
export async function definitionOf(
  build: (stack: Stack) => IChainable,
  queryLanguage?: QueryLanguage,
): Promise<Definition> {
  return definitionIn(
    await templateOf((stack) => {
      const definitionBody = DefinitionBody.fromChainable(build(stack));
      new StateMachine(stack, 'Machine', { definitionBody, queryLanguage });
    }),
  );
}

export const exampleTemplate = await templateOf(
  (stack) => new CreateAndDelete(stack, 'Example', { companyId: 'acme', ...stackResources(stack) }),
);
/** The example, for the company `acme`. */
export const EXAMPLE = definitionIn(exampleTemplate);

/** The result of an execution, and the work of its states. */
export interface Execution {
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
  readonly failures: readonly string[];
  readonly retries: readonly string[];
  readonly visited: readonly string[];
  /** Every event in the history of the execution. */
  readonly history: readonly object[];
}

export type Work = (command: unknown) => Promise<unknown>;

/**
 * Runs a state machine in an interpreter, without waits.
 * @param workOf returns the function of a state
 * @param onCallbacks gets what takes reports of task tokens
 */
export async function execute(
  definition: Definition,
  workOf: (state: string) => Work,
  input: Json,
  executionId: string = randomUUID(),
  onCallbacks?: (tokens: TaskCallbacks) => void,
): Promise<Execution> {
  const failures: string[] = [];
  const retries: string[] = [];
  const visited: string[] = [];
  const history: object[] = [];
  const result = await executeMachine(machineOf(definition), overTheWire(input), {
    machine: 'Test',
    name: executionId,
    // Only JSON passes between states.
    call: async ({ state, payload }) => overTheWire(await workOf(state)(payload)),
    pause: async () => {},
    onEvent: (event) => {
      history.push(event);
      if (event.type === 'entered') visited.push(event.state);
      if (event.type === 'failed') failures.push(event.error);
      if (event.type === 'retried') retries.push(event.state);
    },
    ...(onCallbacks && { onCallbacks }),
  });
  return { ...result, failures, retries, visited, history };
}

/** Returns every state with its name, including those in maps. */
export function statesOf({ States }: Definition): (readonly [name: string, state: State])[] {
  return Object.entries(States).flatMap(([name, state]) => [
    [name, state] as const,
    ...Object.entries(state.ItemProcessor?.States ?? {}),
  ]);
}

const machines = new WeakMap<Definition, ReadMachine>();

/** Returns the state machine of a definition, which is read once. */
function machineOf(definition: Definition): ReadMachine {
  const machine = machines.get(definition) ?? readMachine(overTheWire(definition));
  machines.set(definition, machine);
  return machine;
}

function overTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The two task functions of the example, and the bucket that it reads. */
export interface Tasks {
  readonly createProject: TaskHandler<unknown>;
  readonly deleteProject: TaskHandler<unknown>;
  put(key: string, content: string): void;
}

/** Returns the tasks on a service. */
export function tasksOn(service: ProjectService): Tasks {
  const options = { now: heldNow, log: () => {}, requireCompany: async () => undefined };
  const objects = new Map<string, string>();
  return {
    createProject: createProjectTask(service, {
      ...options,
      readObject: async ({ bucket, key }) => {
        const content = bucket === BUCKET ? objects.get(key) : undefined;
        if (content === undefined) throw objectProblems.notReadable();
        return Buffer.from(content);
      },
    }),
    deleteProject: deleteProjectTask(service, options),
    put: (key, content) => objects.set(key, content),
  };
}

/** Runs the example. It puts the project into the bucket first. */
export function run(
  tasks: Tasks,
  { project, ...input }: { readonly project: Json; readonly taskId: Json; readonly [more: string]: Json },
): Promise<Execution> {
  const key = 'projects/one.json';
  tasks.put(key, JSON.stringify(project));
  return execute(EXAMPLE, workOf(tasks), { key, ...input });
}

/** Returns the function of a state, by its name. */
export function workOf({ createProject, deleteProject }: Tasks): (state: string) => Work {
  return (state) => (command) => (state.startsWith('Create') ? createProject : deleteProject)(command, contextOf());
}

/** Failures in which nothing was done and a retry may succeed. */
export const NOT_NOW = [
  'Lambda.TooManyRequestsException',
  'Segue.Retryable.rate-limited',
  'Segue.Retryable.quota-exceeded',
  'Segue.Retryable.unavailable',
  'Segue.Retryable.upstream-unavailable',
];
/** Failures in which the work may have been done and a retry may succeed. */
export const OPEN = [
  'Lambda.AWSLambdaException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Sandbox.Timedout',
  'Segue.Retryable.request-in-progress',
  'Segue.Unknown.internal-error',
  'Segue.Unknown.outcome-unknown',
  'Segue.Unknown.upstream-invalid',
  'States.Timeout',
];
/** Names that the constructs do not know. */
const UNKNOWN = ['Error', 'Lambda.AccessDeniedException', 'Runtime.ImportModuleError', 'States.Permissions'];
/** Failures after which a retry never succeeds. */
export const TERMINAL = PROBLEM_TYPES.map(failureName).filter((name) => name.startsWith('Segue.Terminal.'));

/** Every name that a task can fail with, and some unknown names. */
export const NAMES = [...NOT_NOW, ...OPEN, ...UNKNOWN, ...TERMINAL];
