import type { Definition, State } from './definitions.ts';

/** What Step Functions takes: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html and the States Language. */
const MOST_DEFINITION_BYTES = 1_048_576;
const MOST_NAME_CHARACTERS = 80;
const MOST_SECONDS = 99_999_999;
const MOST_DELAY_SECONDS = 31_622_399;
/** Longer than a function of a task may run. */
const FUNCTION_SECONDS = 60;

/** What the service would refuse of a definition, or take and never come to. */
export function faultsOf(definition: Definition): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(definition));
  return [
    ...(bytes > MOST_DEFINITION_BYTES ? [`it has ${bytes} bytes`] : []),
    ...faultsIn(definition),
    ...repeated(namesIn(definition)).map((name) => `${name} is the name of two states`),
  ];
}

interface States {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State & { readonly ItemProcessor?: States | undefined }>>;
}

function faultsIn({ StartAt, States }: States): string[] {
  const reached = new Set([StartAt, ...Object.values(States).flatMap(nextOf)]);
  const missing = [...reached].filter((name) => !(name in States)).map((name) => `there is no ${name}`);
  const faults = Object.entries(States).flatMap(([name, state]) => {
    const own = [
      ...([...name].length > MOST_NAME_CHARACTERS ? ['its name is too long'] : []),
      ...(reached.has(name) ? [] : ['nothing leads to it']),
      ...faultsOfState(state),
    ];
    return [...own.map((fault) => `${name}: ${fault}`), ...(state.ItemProcessor ? faultsIn(state.ItemProcessor) : [])];
  });
  return [...missing, ...faults];
}

function faultsOfState(state: State): string[] {
  const { Type, Retry = [], Catch = [], TimeoutSeconds } = state;
  const isEnd = state['End'] === true || Type === 'Fail' || Type === 'Succeed';
  const waitsTooLong = Retry.some(
    ({ IntervalSeconds, MaxDelaySeconds }) =>
      IntervalSeconds >= MaxDelaySeconds || MaxDelaySeconds > MOST_DELAY_SECONDS,
  );
  const isOutOfOrder = [Retry, Catch].some((list) =>
    list.some(
      ({ ErrorEquals }, n) =>
        ErrorEquals.length === 0 ||
        (ErrorEquals.includes('States.ALL') && (ErrorEquals.length > 1 || n < list.length - 1)),
    ),
  );
  const isTimed = TimeoutSeconds !== undefined && TimeoutSeconds > FUNCTION_SECONDS && TimeoutSeconds <= MOST_SECONDS;
  return [
    ...(isEnd === (state.Next === undefined) ? [] : ['it ends and goes on, or neither']),
    ...(waitsTooLong ? ['its retries wait too long'] : []),
    ...(isOutOfOrder ? ['what catches everything stands alone, and last'] : []),
    ...(Type === 'Task' && !isTimed ? ['it has no timeout that is longer than its function’s'] : []),
    ...repeated(Catch.flatMap(({ ErrorEquals }) => ErrorEquals)).map((name) => `${name} is caught twice`),
  ];
}

function nextOf({ Next, Catch = [] }: State): string[] {
  return [...(Next === undefined ? [] : [Next]), ...Catch.map((catcher) => catcher.Next)];
}

function namesIn({ States }: States): string[] {
  return Object.entries(States).flatMap(([name, { ItemProcessor }]) => [
    name,
    ...(ItemProcessor ? namesIn(ItemProcessor) : []),
  ]);
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, n) => names.indexOf(name) !== n);
}
