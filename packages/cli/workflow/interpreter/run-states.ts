import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDate } from './choice.ts';
import type { ExecutionEvent, TaskCall } from './execution-types.ts';
import { isObject } from './json-path.ts';
import type { Catcher, Machine, State, TaskResource } from './machine.ts';
import { isFor, pauseMs } from './retry.ts';
import type { Ended, Scope, StateData, Variables } from './state-data.ts';
import { MAX_STATE_BYTES, runtimeError, StateError } from './state-error.ts';
import type { Language } from './state-fields.ts';
import type { ExecutionCallbacks, TokenLimits } from './task-callbacks.ts';

/** The most events of the history of an execution on AWS. */
const MAX_EVENTS = 25_000;
/** The fewest events that an attempt of a state adds to the history: those of a task also schedule, start and end it. */
const EVENTS = { task: 5, other: 2 };
/** How many items a map without `MaxConcurrency` runs at once, as Step Functions does. */
const MAP_AT_ONCE = 40;

export interface RunDeps {
  readonly languages: Readonly<Record<Language, StateData>>;
  readonly callbacks: ExecutionCallbacks;
  readonly call: (call: TaskCall) => Promise<unknown>;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: ExecutionEvent) => void;
}

/** What surrounds the states of a machine. */
interface Surroundings {
  readonly variables: Variables;
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** A state that ended, and the state to which it leads; `undefined` ends the machine. */
interface Left extends Ended {
  readonly next: string | undefined;
}

/** Runs states. */
export class RunStates {
  readonly #deps: RunDeps;
  #events = 0;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** Runs a machine from its first state. @throws {StateError} the failure that no state catches */
  async machine({ startAt, states }: Machine, input: unknown, outside: Surroundings): Promise<unknown> {
    let variables = outside.variables;
    let data = input;
    for (let name: string | undefined = startAt; name !== undefined; ) {
      outside.signal.throwIfAborted();
      const state: State | undefined = states.get(name);
      if (!state) throw runtimeError(`There is no state ${name}.`);
      const { output, assigned, next }: Left = await this.#enter(state, data, { ...outside, variables });
      variables = { ...variables, ...assigned };
      data = output;
      name = next;
    }
    return data;
  }

  /** Runs a state, with its retries, and catches its failure. */
  async #enter(state: State, input: unknown, outside: Surroundings): Promise<Left> {
    const { onEvent } = this.#deps;
    const { name } = state;
    onEvent({ type: 'entered', state: name, input });
    limit(name, 'input', input);
    const enteredTime = new Date().toISOString();
    const retries = new Map<object, number>();
    for (let count = 0; ; count++) {
      await this.#count(state, outside.signal);
      const context = { ...outside.context, State: { EnteredTime: enteredTime, Name: name, RetryCount: count } };
      const scope = { input, variables: outside.variables, context };
      try {
        const left = await this.#run(state, scope, outside.signal);
        limit(name, 'output', left.output);
        onEvent({ type: 'exited', state: name, output: left.output });
        return left;
      } catch (error) {
        if (outside.signal.aborted || !(error instanceof StateError)) throw error;
        onEvent({ type: 'failed', state: name, error: error.name, cause: error.message });
        const retrier = state.retriers.find((candidate) => isFor(candidate, error.name));
        const before = retrier ? (retries.get(retrier) ?? 0) : 0;
        if (retrier && before < retrier.MaxAttempts) {
          retries.set(retrier, before + 1);
          await this.#deps.pause(pauseMs(retrier, before), outside.signal);
          outside.signal.throwIfAborted();
          onEvent({ type: 'retried', state: name });
          continue;
        }
        const catcher = state.catchers.find((candidate) => isFor(candidate, error.name));
        if (!catcher) throw error;
        const left = await this.#catch(state, catcher, error, scope);
        limit(name, 'output', left.output);
        onEvent({ type: 'caught', state: name });
        onEvent({ type: 'exited', state: name, output: left.output });
        return left;
      }
    }
  }

  /** Counts the events of an attempt. A loop of states that wait for nothing lets others run, such as a signal. */
  async #count({ task }: State, signal: AbortSignal): Promise<void> {
    await nextTurn();
    signal.throwIfAborted();
    this.#events += task ? EVENTS.task : EVENTS.other;
    if (this.#events <= MAX_EVENTS) return;
    throw runtimeError(`The execution reached the ${MAX_EVENTS} events that its history may have on AWS.`);
  }

  async #catch({ language }: State, catcher: Catcher, { name, message }: StateError, scope: Scope): Promise<Left> {
    const { Next, ResultPath, Output, Assign } = catcher;
    const fields = { ResultPath, Output, Assign };
    const ended = await this.#deps.languages[language].endCaught(fields, { Error: name, Cause: message }, scope);
    return { ...ended, next: Next };
  }

  async #run(state: State, scope: Scope, signal: AbortSignal): Promise<Left> {
    const { fields, next, language } = state;
    const data = this.#deps.languages[language];
    switch (state.type) {
      case 'Pass':
        return { ...(await data.endPass(fields, scope)), next };
      case 'Succeed':
        return { ...(await data.end(fields, scope)), next: undefined };
      case 'Fail':
        throw await failureOf(fields, scope, data);
      case 'Wait':
        await this.#deps.pause(await waitMs(fields, scope, data), signal);
        return { ...(await data.end(fields, scope)), next };
      case 'Choice':
        return this.#choose(state, scope);
      case 'Task':
        return { ...(await this.#endWith(state, await this.#task(state, scope, signal), scope)), next };
      case 'Parallel':
        return { ...(await this.#endWith(state, await this.#parallel(state, scope, signal), scope)), next };
      case 'Map':
        return { ...(await this.#endWith(state, await this.#map(state, scope, signal), scope)), next };
    }
  }

  #endWith({ fields, language }: State, result: unknown, scope: Scope): Promise<Ended> {
    return this.#deps.languages[language].endWith(fields, result, scope);
  }

  async #choose({ name, fields, rules, language }: State, scope: Scope): Promise<Left> {
    const data = this.#deps.languages[language];
    for (const rule of rules) {
      if (!(await data.holds(rule, fields, scope))) continue;
      const { InputPath, OutputPath } = fields;
      return { ...(await data.end({ InputPath, OutputPath, ...rule.fields }, scope)), next: rule.next };
    }
    const { Default } = fields;
    if (typeof Default === 'string') return { ...(await data.end(fields, scope)), next: Default };
    throw new StateError('States.NoChoiceMatched', `No rule of the state ${name} holds, and it has no Default.`);
  }

  async #parallel({ inner, fields, language }: State, scope: Scope, signal: AbortSignal): Promise<unknown> {
    const input = await this.#deps.languages[language].argumentsOf(fields, scope);
    const branches = inner.map(
      (branch) => (stopped: AbortSignal) =>
        this.machine(branch, input, { variables: scope.variables, context: scope.context, signal: stopped }),
    );
    return together(branches, branches.length, signal);
  }

  async #map({ name, inner, fields, language }: State, scope: Scope, signal: AbortSignal): Promise<unknown> {
    const data = this.#deps.languages[language];
    const items = await data.itemsOf(fields, scope);
    if (!Array.isArray(items)) {
      throw data.fault(`The items of the state ${name} are not an array.`);
    }
    const atOnce = await numberIn(fields, 'MaxConcurrency', scope, data);
    const runs = items.map((item: unknown, index) => async (stopped: AbortSignal) => {
      const context = { ...scope.context, Map: { Item: { Index: index, Value: item } } };
      const input = await data.itemInput(fields, item, { ...scope, context });
      const [processor] = inner;
      if (!processor) throw runtimeError(`The state ${name} has no processor.`);
      // Only the item selector reads the item from the context.
      return this.machine(processor, input, { variables: scope.variables, context: scope.context, signal: stopped });
    });
    return together(runs, atOnce || MAP_AT_ONCE, signal);
  }

  async #task(state: State, scope: Scope, signal: AbortSignal): Promise<unknown> {
    const { name, fields, language, task } = state;
    if (!task) throw runtimeError(`The state ${name} has no resource.`);
    const data = this.#deps.languages[language];
    const limits = {
      timeoutMs: await millisecondsIn(fields, 'TimeoutSeconds', scope, data),
      heartbeatMs: await millisecondsIn(fields, 'HeartbeatSeconds', scope, data),
    };
    if (task.waitsForToken) return this.#taskWithToken(state, task, { scope, signal, limits });
    const call = callOf(name, task, await data.argumentsOf(fields, scope));
    const result = await beforeTimeout(this.#call(call), limits.timeoutMs, signal);
    return task.isInvoke ? { ExecutedVersion: '$LATEST', Payload: result, StatusCode: 200 } : result;
  }

  /** Runs a task that waits until its token is reported. */
  async #taskWithToken(
    { name, fields, language }: State,
    task: TaskResource,
    { scope, signal, limits }: { scope: Scope; signal: AbortSignal; limits: TokenLimits },
  ): Promise<unknown> {
    const token = randomUUID();
    const context = { ...scope.context, Task: { Token: token } };
    const payload = await this.#deps.languages[language].argumentsOf(fields, { ...scope, context });
    using wait = this.#deps.callbacks.wait(token, limits);
    const called = this.#call(callOf(name, task, payload));
    // A failure of the function ends the wait, and its result does not.
    const failed = called.then(() => new Promise<never>(() => {}));
    return await unlessAborted(Promise.race([wait.result, failed]), signal);
  }

  async #call(call: TaskCall): Promise<unknown> {
    limit(call.state, 'input', call.payload);
    try {
      return await this.#deps.call(call);
    } catch (error) {
      if (error instanceof StateError || !(error instanceof Error)) throw error;
      throw new StateError(error.name, error.message);
    }
  }
}

/** @throws {StateError} `States.DataLimitExceeded` if a value is too large for Step Functions */
function limit(state: string, what: 'input' | 'output', value: unknown): void {
  if (Buffer.byteLength(JSON.stringify(value ?? null)) <= MAX_STATE_BYTES) return;
  throw new StateError(
    'States.DataLimitExceeded',
    `The ${what} of the state ${state} has more than ${MAX_STATE_BYTES} bytes.`,
  );
}

function callOf(state: string, task: TaskResource, payload: unknown): TaskCall {
  if (!task.isInvoke) return { state, function: task.function ?? '', payload };
  const { FunctionName, Payload } = isObject(payload) ? payload : {};
  if (typeof FunctionName !== 'string') throw runtimeError(`The state ${state} has no FunctionName.`);
  return { state, function: FunctionName, payload: Payload };
}

/** Waits for a call, at most for its timeout. */
async function beforeTimeout(called: Promise<unknown>, timeoutMs: number | undefined, signal: AbortSignal) {
  if (timeoutMs === undefined) return unlessAborted(called, signal);
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new StateError('States.Timeout', 'The task took too long.')),
    timeoutMs,
  );
  try {
    return await unlessAborted(Promise.race([called, timeout.promise]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise, at most until a signal aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs works, some at once. If one fails, the others are stopped. @returns the results in order */
async function together(
  works: readonly ((signal: AbortSignal) => Promise<unknown>)[],
  atOnce: number,
  outer: AbortSignal,
): Promise<unknown[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([outer, stop.signal]);
  const results: unknown[] = [];
  const queue = works.entries();
  const worker = async () => {
    for (const [index, work] of queue) {
      signal.throwIfAborted();
      results[index] = await work(signal);
    }
  };
  const workers = Array.from({ length: Math.min(atOnce, works.length) }, worker);
  try {
    await Promise.all(workers);
    return results;
  } finally {
    stop.abort();
    await Promise.allSettled(workers);
  }
}

async function failureOf(fields: State['fields'], scope: Scope, data: StateData): Promise<StateError> {
  const text = async (name: string) => {
    const value = await data.valueOf(fields, name, scope);
    return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  };
  return new StateError(await text('Error'), await text('Cause'));
}

async function waitMs(fields: State['fields'], scope: Scope, data: StateData): Promise<number> {
  const seconds = await numberIn(fields, 'Seconds', scope, data);
  if (seconds !== undefined) return seconds * 1_000;
  const timestamp = await data.valueOf(fields, 'Timestamp', scope);
  if (!isDate(timestamp)) throw data.fault('A wait needs Seconds, or a Timestamp such as 2026-11-20T09:30:00Z.');
  return Math.max(0, Date.parse(String(timestamp)) - Date.now());
}

async function millisecondsIn(fields: State['fields'], name: string, scope: Scope, data: StateData) {
  const seconds = await numberIn(fields, name, scope, data);
  return seconds === undefined ? undefined : seconds * 1_000;
}

async function numberIn(fields: State['fields'], name: string, scope: Scope, data: StateData) {
  const value = await data.valueOf(fields, name, scope);
  if (value === undefined || (typeof value === 'number' && value >= 0)) return value;
  throw data.fault(`The value of ${name} is not a number of 0 or more.`);
}
