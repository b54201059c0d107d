import { type ChildProcess, spawn } from 'node:child_process';
import jsonata from '#jsonata';
import { expressionFailure } from './jsonata-errors.ts';
import {
  type Answer,
  type Evaluation,
  type EvaluationRequest,
  type EvaluationSetup,
  type ExpressionPlace,
  jsonataProgram,
} from './jsonata-program.ts';
import { MAX_STATE_BYTES, queryError, StateError } from './state-error.ts';

/** Evaluates JSONata in a process of its own, so that an expression without an end or of any size can be stopped. */
export interface Evaluator {
  /**
   * Returns a template with the values of its expressions. Evaluations wait for those before.
   * @param field the name of the field with the template, for errors
   * @throws {StateError} `States.QueryEvaluationError` if an expression fails, returns nothing, or exceeds a limit;
   * `States.DataLimitExceeded` if its value is too large
   */
  evaluate(field: string, template: unknown, variables: EvaluationRequest['variables']): Promise<unknown>;
  close(): Promise<void>;
}

/** The limits of an evaluation. */
export interface EvaluationLimits {
  /** The most time, in milliseconds. */
  readonly timeMs: number;
  /** The most memory of the JavaScript heap, in MiB. */
  readonly heapMiB: number;
}

const LIMITS: EvaluationLimits = { timeMs: 5_000, heapMiB: 256 };

/** The end of an evaluation. After an exceeded limit, it has the expression that exceeded it, if one had begun. */
type Ended = Evaluation | { readonly kind: 'time' | 'memory'; readonly begun: ExpressionPlace | undefined };

/** Creates an evaluator. It starts its process when it is first used. */
export function evaluator(limits: EvaluationLimits = LIMITS): Evaluator {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();

  return {
    evaluate(field, template, variables) {
      const result = last.then(async () => valueIn(field, await evaluateNow({ template, variables })));
      last = result.catch(() => {});
      return result;
    },
    close: async () => {
      await end();
    },
  };

  function start(): ChildProcess {
    const flags = [`--max-old-space-size=${limits.heapMiB}`, '--disallow-code-generation-from-strings'];
    const started = spawn(process.execPath, [...flags, '--eval', `(${jsonataProgram})()`], {
      // V8 reports a full heap at length, and the failure of the state says it in a sentence.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    // A failed start or message also closes the process.
    started.on('error', () => {});
    started.send({ jsonata, maxBytes: MAX_STATE_BYTES } satisfies EvaluationSetup);
    return started;
  }

  async function end(): Promise<void> {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const closed = new Promise((resolve) => ending.once('close', resolve));
    ending.kill('SIGKILL');
    await closed;
  }

  async function evaluateNow(request: EvaluationRequest): Promise<Ended> {
    child ??= start();
    const current = child;
    const ended = Promise.withResolvers<Ended>();
    let begun: ExpressionPlace | undefined;
    const onMessage = (answer: Answer) => {
      if (answer.kind === 'begun') begun = answer;
      else ended.resolve(answer);
    };
    const over = (kind: 'time' | 'memory') => () => ended.resolve({ kind, begun });
    const timer = setTimeout(over('time'), limits.timeMs);
    // The process ends if it needs too much memory.
    const onClose = over('memory');
    current.on('message', onMessage).once('close', onClose);
    current.send(request);
    const result = await ended.promise;
    clearTimeout(timer);
    current.off('message', onMessage).off('close', onClose);
    if (result.kind === 'time' || result.kind === 'memory') await end();
    return result;
  }

  function valueIn(field: string, ended: Ended): unknown {
    switch (ended.kind) {
      case 'value':
        return JSON.parse(ended.json);
      case 'too-large':
        throw new StateError('States.DataLimitExceeded', `The field ${field} has more than ${MAX_STATE_BYTES} bytes.`);
      case 'time':
        throw queryError(`${subject(field, ended.begun)} took more than ${limits.timeMs} ms to evaluate.`);
      case 'memory':
        throw queryError(`${subject(field, ended.begun)} needed more than ${limits.heapMiB} MiB.`);
      case 'failed':
        throw queryError(`${subject(field, ended)} ${expressionFailure(ended)}.`);
    }
  }
}

function subject(field: string, place: ExpressionPlace | undefined): string {
  if (!place) return `The field ${field}`;
  return `The JSONata expression '${place.expression}' specified for the field '${field}${place.pointer}'`;
}
