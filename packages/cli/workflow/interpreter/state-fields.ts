/** The query languages of Step Functions. */
export type Language = 'JSONPath' | 'JSONata';

/** The fields of a state, as the definition has them. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a type of state, besides those that all have. */
export interface StateFields extends Readonly<Record<Language, readonly string[]>> {
  readonly both: readonly string[];
}

const PATHS = ['InputPath', 'OutputPath'];
const RESULT_PATHS = [...PATHS, 'Parameters', 'ResultSelector', 'ResultPath'];
const TRANSITION = ['Next', 'End', 'Assign'];
const FAILURES = ['Retry', 'Catch'];

/** The fields of each type of state that the interpreter knows, besides `Type`, `Comment` and `QueryLanguage`. */
export const FIELDS_OF_STATES = {
  Task: {
    both: [...TRANSITION, ...FAILURES, 'Resource', 'TimeoutSeconds', 'HeartbeatSeconds'],
    JSONPath: [...RESULT_PATHS, 'TimeoutSecondsPath', 'HeartbeatSecondsPath'],
    JSONata: ['Arguments', 'Output'],
  },
  Pass: {
    both: TRANSITION,
    JSONPath: [...PATHS, 'Parameters', 'ResultPath', 'Result'],
    JSONata: ['Output'],
  },
  Choice: { both: ['Choices', 'Default', 'Assign'], JSONPath: PATHS, JSONata: ['Output'] },
  Wait: {
    both: [...TRANSITION, 'Seconds', 'Timestamp'],
    JSONPath: [...PATHS, 'SecondsPath', 'TimestampPath'],
    JSONata: ['Output'],
  },
  Succeed: { both: [], JSONPath: PATHS, JSONata: ['Output'] },
  Fail: { both: ['Error', 'Cause'], JSONPath: ['ErrorPath', 'CausePath'], JSONata: [] },
  Parallel: {
    both: [...TRANSITION, ...FAILURES, 'Branches'],
    JSONPath: RESULT_PATHS,
    JSONata: ['Arguments', 'Output'],
  },
  Map: {
    both: [...TRANSITION, ...FAILURES, 'ItemProcessor', 'Iterator', 'ItemSelector', 'MaxConcurrency'],
    JSONPath: [...RESULT_PATHS, 'ItemsPath', 'MaxConcurrencyPath'],
    JSONata: ['Items', 'Output'],
  },
} satisfies Readonly<Record<string, StateFields>>;

export type StateType = keyof typeof FIELDS_OF_STATES;
