import { Worker } from 'node:worker_threads';
import jsonata from '#jsonata';
import { ERROR_TEXTS } from '../../../../lib/webhooks/mapping/error-texts.data.ts';
import { type Evaluation, type EvaluationLimits, type EvaluationRequest, jsonataProgram } from './jsonata-program.ts';
import { queryError } from './state-error.ts';

/** Evaluates JSONata in a thread of its own, so that an expression without an end can be stopped. */
export interface Evaluator {
  /**
   * Returns a template with the values of its expressions. Evaluations wait for those before.
   * @param field the name of the field with the template, for errors
   * @throws {StateError} `States.QueryEvaluationError` if an expression fails, returns nothing, or exceeds a limit
   */
  evaluate(field: string, template: unknown, variables: EvaluationRequest['variables']): Promise<unknown>;
  close(): Promise<void>;
}

const LIMITS: EvaluationLimits = { timeMs: 5_000, heapMiB: 256 };

/** Creates an evaluator. It starts its thread when it is first used. */
export function evaluator(limits: EvaluationLimits = LIMITS): Evaluator {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  return {
    evaluate(field, template, variables) {
      const result = last.then(async () => valueIn(field, await evaluateNow({ template, variables })));
      last = result.catch(() => {});
      return result;
    },
    close: async () => {
      await worker?.terminate();
    },
  };

  async function evaluateNow(request: EvaluationRequest): Promise<Evaluation | 'time' | 'memory'> {
    worker ??= new Worker(`(${jsonataProgram})()`, {
      eval: true,
      env: {},
      workerData: jsonata,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMiB },
    });
    const current = worker;
    const ended = Promise.withResolvers<Evaluation | 'time' | 'memory'>();
    const timer = setTimeout(() => ended.resolve('time'), limits.timeMs);
    const outOfMemory = () => ended.resolve('memory');
    current.once('message', ended.resolve);
    // The thread dies if it needs too much memory.
    current.once('error', outOfMemory);
    current.postMessage(request);
    const result = await ended.promise;
    clearTimeout(timer);
    current.off('message', ended.resolve).off('error', outOfMemory);
    if (typeof result === 'string') {
      worker = undefined;
      await current.terminate();
    }
    return result;
  }

  function valueIn(field: string, evaluated: Evaluation | 'time' | 'memory'): unknown {
    if (evaluated === 'time') throw queryError(`The field ${field} took more than ${limits.timeMs} ms to evaluate.`);
    if (evaluated === 'memory') throw queryError(`The field ${field} needed more than ${limits.heapMiB} MiB.`);
    if (evaluated.kind === 'value') return JSON.parse(evaluated.json);
    const { pointer, expression, code, message } = evaluated;
    throw queryError(
      `The JSONata expression '${expression}' specified for the field '${field}${pointer}' ${message ?? detailOf(code)}.`,
    );
  }
}

function detailOf(code: string | undefined): string {
  if (code === undefined) return 'returned a value that JSON cannot hold';
  if (code === 'undefined') return 'returned nothing (undefined)';
  return `failed: ${ERROR_TEXTS[code] ?? 'it cannot be evaluated'}`;
}
