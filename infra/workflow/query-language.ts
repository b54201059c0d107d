import { Token } from 'aws-cdk-lib';
import { type CatchProps, FieldUtils, JsonPath, QueryLanguage } from 'aws-cdk-lib/aws-stepfunctions';
import { SettingError } from '../setting-error.ts';

/** An expression of JSONata, such as `{% $states.input.projectId %}`. */
export type JsonataExpression = `{%${string}%}`;

/** How a task reads its input and passes on its result, in the query language of its state machine. */
export interface DataFlow {
  /**
   * The query language of the task. It must be that of the state machine. Default: JSONPath, as in Step Functions.
   */
  readonly queryLanguage?: QueryLanguage;
  /** In JSONPath: the path at which the next state's input gets the result. By default the result replaces the input. */
  readonly resultPath?: string;
  /** In JSONPath: the path at which the next state's input gets the failure. Default: `$.failure`. */
  readonly failurePath?: string;
  /**
   * In JSONata: the input of the next state, with expressions such as `{% $states.result.projectId %}`. By default it is
   * the result.
   */
  readonly outputs?: unknown;
  /**
   * In JSONata: the input of the next state after a failure. By default it is the input of the task, with
   * `$states.errorOutput` as its field `failure`. If the input is no object, it is `{ input, failure }`.
   */
  readonly failureOutputs?: unknown;
  /** The variables that the task sets if it succeeds. */
  readonly assign?: Readonly<Record<string, unknown>>;
}

/** Where a path or an expression may stand wrongly, and what is right there. */
const JSONATA_HINT = 'write an expression such as {% $states.input.id %}, or leave out queryLanguage';
const JSON_PATH_HINT = "write JsonPath.stringAt('$.id'), or set queryLanguage to QueryLanguage.JSONATA";

/** A query language, for the states of a task. */
export interface Dialect {
  readonly language: QueryLanguage;
  /** The properties of a state that passes on the result. */
  readonly result: {
    readonly queryLanguage?: QueryLanguage;
    readonly resultPath?: string;
    readonly outputs?: unknown;
    readonly assign?: Record<string, unknown>;
  };
  /** The id of the execution, and the token of the task. */
  readonly executionId: string;
  readonly taskToken: string;
  /** Returns the value of a variable. */
  variable(name: string): string;
  /** The time at which the state was entered. */
  readonly enteredTime: string;
  /** Catches errors, and gives the failure to the next state. */
  failure(errors: readonly string[]): CatchProps;
  /** Catches errors, and passes on the input of the task. */
  discard(errors: readonly string[]): CatchProps;
  /** Renders what the task sends. */
  render(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/**
 * Returns the dialect of a task.
 * @param command the values that the task sends, which may come from the input
 * @throws {SettingError} if a property or a value is of the other language
 */
export function dialectOf(flow: DataFlow, command: Readonly<Record<string, unknown>>): Dialect {
  if (flow.queryLanguage === QueryLanguage.JSONATA) {
    refuse(flow, ['resultPath', 'failurePath'], `is of JSONPath: use outputs, assign and failureOutputs`);
    const { outputs, failureOutputs, assign } = flow;
    // Step Functions evaluates expressions everywhere, also in the content of a project.
    refusePartialExpressions({ command, outputs, failureOutputs, assign });
    refusePaths({ command, outputs, failureOutputs, assign }, { ...textsOf(command), outputs, failureOutputs, assign });
    return jsonata(flow);
  }
  refuse(flow, ['outputs', 'failureOutputs'], `is of JSONata: use resultPath and failurePath, or set queryLanguage`);
  refuseExpressions({ ...textsOf(command), assign: flow.assign });
  refuseBarePaths(textsOf(command));
  return jsonPath(flow);
}

function jsonPath({ resultPath, failurePath = '$.failure', assign }: DataFlow): Dialect {
  return {
    language: QueryLanguage.JSON_PATH,
    result: { resultPath, assign },
    executionId: JsonPath.stringAt('$$.Execution.Id'),
    taskToken: JsonPath.taskToken,
    variable: (name) => JsonPath.stringAt(`$${name}`),
    enteredTime: JsonPath.stringAt('$$.State.EnteredTime'),
    failure: (errors) => ({ errors: [...errors], resultPath: failurePath }),
    discard: (errors) => ({ errors: [...errors], resultPath: JsonPath.DISCARD }),
    render: (sent) => ({ Parameters: FieldUtils.renderObject(sent) }),
  };
}

// A failure must never hide behind an input that cannot get a field.
const FAILURE_OUTPUTS: JsonataExpression =
  "{% $type($states.input) = 'object' ? $merge([$states.input, { 'failure': $states.errorOutput }]) : { 'input': $states.input, 'failure': $states.errorOutput } %}";
const INPUT: JsonataExpression = '{% $states.input %}';

function jsonata({ outputs, failureOutputs = FAILURE_OUTPUTS, assign }: DataFlow): Dialect {
  return {
    language: QueryLanguage.JSONATA,
    result: { queryLanguage: QueryLanguage.JSONATA, outputs, assign },
    executionId: '{% $states.context.Execution.Id %}',
    taskToken: '{% $states.context.Task.Token %}',
    variable: (name) => `{% $${name} %}`,
    enteredTime: '{% $states.context.State.EnteredTime %}',
    failure: (errors) => ({ errors: [...errors], outputs: failureOutputs }),
    // Without an output of its own, a catcher would replace the input with the error.
    discard: (errors) => ({ errors: [...errors], outputs: INPUT }),
    render: (sent) => ({ Arguments: sent }),
  };
}

/**
 * Checks that a state machine has the query language of its task.
 * @param machine the language of the state machine; JSONPath if absent
 * @throws {SettingError} if the task would be rendered in another language
 */
export function requireLanguage({ language }: Dialect, machine: QueryLanguage | undefined, state: string): void {
  if (machine !== QueryLanguage.JSONATA || language === QueryLanguage.JSONATA) return;
  throw new SettingError(
    `the state machine has the query language JSONata, and its task ${state} has JSONPath: give the task queryLanguage: QueryLanguage.JSONATA`,
  );
}

function refuse(flow: DataFlow, names: readonly (keyof DataFlow)[], reason: string): void {
  const wrong = names.find((name) => flow[name] !== undefined);
  if (wrong !== undefined) throw new SettingError(`${wrong} ${reason}`);
}

/** Returns the values of a command without the content of a project, in which any text may stand. */
function textsOf({ project, ...command }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof project === 'string' ? { ...command, project } : command;
}

/** Calls `check` for every text in a value. */
function eachText(value: unknown, check: (text: string) => void): void {
  if (typeof value === 'string') check(value);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) eachText(inner, check);
}

function refusePaths(value: object, texts: object): void {
  if (hasPath(value))
    throw new SettingError(
      `a value is a path of JSONPath, and the task has the query language JSONata: ${JSONATA_HINT}`,
    );
  eachText(texts, (text) => {
    if (isBarePath(text))
      throw new SettingError(
        `${text} is a path of JSONPath, and the task has the query language JSONata: ${JSONATA_HINT}`,
      );
  });
}

function refusePartialExpressions(value: object): void {
  eachText(value, (text) => {
    if (text.includes('{%') && !(text.startsWith('{%') && text.endsWith('%}')))
      throw new SettingError(
        `Step Functions sends ${text} as it is, because it does not begin with {% and end with %}: make the whole text one expression, such as {% 'man-' & $states.input.id %}`,
      );
  });
}

function refuseExpressions(value: object): void {
  eachText(value, (text) => {
    if (text.trimStart().startsWith('{%'))
      throw new SettingError(
        `${text} is an expression of JSONata, and the task has the query language JSONPath: ${JSON_PATH_HINT}`,
      );
  });
}

/**
 * Checks that no id or key is a path that lacks `JsonPath.stringAt`. Step Functions would send the path itself as an id.
 * A deletion would then find no project and succeed.
 * @throws {SettingError} if a text is such a path
 */
function refuseBarePaths(command: object): void {
  eachText(command, (text) => {
    if (isBarePath(text)) {
      throw new SettingError(
        `${text} is a path, but Step Functions would send it as the id or key itself: write JsonPath.stringAt('${text}')`,
      );
    }
  });
}

function isBarePath(text: string): boolean {
  return text.startsWith('$') && !Token.isUnresolved(text);
}

/** Whether a value has a path of the CDK. */
export function hasPath(value: object): boolean {
  try {
    return FieldUtils.findReferencedPaths(value).length > 0;
  } catch {
    // The CDK throws for a path with text around it.
    return true;
  }
}
