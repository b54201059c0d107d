/** The limits of an evaluation. */
export interface EvaluationLimits {
  /** The most time, in milliseconds. */
  readonly timeMs: number;
  /** The most memory of the JavaScript heap, in MiB. */
  readonly heapMiB: number;
}

/** A request to the worker: a value whose texts `{% … %}` are expressions. */
export interface EvaluationRequest {
  readonly template: unknown;
  /** The values of the variables, by their names without `$`. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The result of an evaluation. A failure has the place of the expression in the template, such as `/project/name`. */
export type Evaluation =
  | { readonly kind: 'value'; readonly json: string }
  | {
      readonly kind: 'failed';
      readonly pointer: string;
      readonly expression: string;
      /** The code of JSONata. Absent if the result is not JSON. `undefined` means that the expression returned nothing. */
      readonly code?: string;
      /** The message of the function `$error` or `$assert`. */
      readonly message?: string;
    };

/** The type of JSONata, as far as the program uses it. */
type Jsonata = (expression: string) => {
  registerFunction(name: string, implementation: (...args: unknown[]) => unknown): void;
  assign(name: string, value: undefined): void;
  evaluate(input: unknown, variables: Readonly<Record<string, unknown>>): Promise<unknown>;
};

/**
 * The program of the worker that evaluates JSONata as Step Functions does. The worker gets this function as text, so the
 * function may use only Node's built-in modules and nothing else of this file.
 */
export function jsonataProgram(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { createHash, randomUUID } = process.getBuiltinModule('node:crypto');
  const { runInThisContext } = process.getBuiltinModule('node:vm');
  const module: { exports: unknown } = { exports: {} };
  const load = runInThisContext(`((module, exports) => { ${workerData}\n return module.exports; })`);
  const jsonata: Jsonata = load(module, module.exports);
  const EXPRESSION = /^\s*\{%([\s\S]*)%\}\s*$/;

  class Failed extends Error {
    readonly result: object;
    constructor(result: object) {
      super();
      this.result = result;
    }
  }

  /** Fails like JSONata: the argument of a function has the wrong type or value. */
  function wrong(): never {
    throw Object.assign(new Error(), { code: 'T0410' });
  }

  const numberOf = (value: unknown): number => (typeof value === 'number' ? value : wrong());

  /** The functions that Step Functions adds to JSONata. */
  const functions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
    partition(array, size) {
      const by = Math.floor(numberOf(size));
      if (array === undefined) return undefined;
      const all = Array.isArray(array) ? array : [array];
      if (by < 1) return wrong();
      return Array.from({ length: Math.ceil(all.length / by) }, (_, at) => all.slice(at * by, (at + 1) * by));
    },
    range(first, last, step) {
      const [from, to, by] = [numberOf(first), numberOf(last), numberOf(step)];
      const count = Math.max(0, Math.floor((to - from) / by) + 1);
      if (!(count <= 1_000)) return wrong();
      return Array.from({ length: count }, (_, at) => from + at * by);
    },
    hash(data, algorithm) {
      if (data === undefined) return undefined;
      const names = new Map([
        ['MD5', 'md5'],
        ['SHA-1', 'sha1'],
        ['SHA-256', 'sha256'],
        ['SHA-384', 'sha384'],
        ['SHA-512', 'sha512'],
      ]);
      const name = names.get(String(algorithm)) ?? wrong();
      return createHash(name)
        .update(typeof data === 'string' ? data : JSON.stringify(data))
        .digest('hex');
    },
    random(seed) {
      if (seed === undefined) return Math.random();
      const hash = createHash('sha256')
        .update(String(numberOf(seed)))
        .digest();
      return hash.readUInt32BE(0) / 2 ** 32;
    },
    uuid: () => randomUUID(),
    parse(text) {
      if (text === undefined) return undefined;
      return typeof text === 'string' ? JSON.parse(text) : wrong();
    },
  };

  parentPort?.on('message', async ({ template, variables }: EvaluationRequest) => {
    try {
      const value = await evaluate(template, variables, '');
      parentPort.postMessage({ kind: 'value', json: JSON.stringify(value) });
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      parentPort.postMessage({ kind: 'failed', ...error.result });
    }
  });

  async function evaluate(
    template: unknown,
    variables: EvaluationRequest['variables'],
    pointer: string,
  ): Promise<unknown> {
    if (typeof template === 'string') {
      const [, expression] = EXPRESSION.exec(template) ?? [];
      return expression === undefined ? template : run(expression, variables, pointer);
    }
    if (Array.isArray(template)) {
      const values: unknown[] = [];
      for (const [at, item] of template.entries()) values.push(await evaluate(item, variables, `${pointer}/${at}`));
      return values;
    }
    if (typeof template !== 'object' || template === null) return template;
    const fields: [string, unknown][] = [];
    for (const [name, item] of Object.entries(template)) {
      fields.push([name, await evaluate(item, variables, `${pointer}/${name}`)]);
    }
    return Object.fromEntries(fields);
  }

  async function run(expression: string, variables: EvaluationRequest['variables'], pointer: string): Promise<unknown> {
    const at = { pointer, expression: expression.trim() };
    let value: unknown;
    try {
      const parsed = jsonata(expression);
      for (const [name, implementation] of Object.entries(functions)) parsed.registerFunction(name, implementation);
      // Step Functions has no `$eval`.
      parsed.assign('eval', undefined);
      value = await parsed.evaluate(undefined, variables);
    } catch (error) {
      const { code, message }: { code?: unknown; message?: unknown } = Object(error);
      const isOwn = code === 'D3137' || code === 'D3141';
      throw new Failed({
        ...at,
        ...(typeof code === 'string' && { code }),
        ...(isOwn && typeof message === 'string' && { message }),
      });
    }
    const json: string | undefined = jsonOf(value, at);
    if (json === undefined) throw new Failed({ ...at, code: 'undefined' });
    return JSON.parse(json);
  }

  /** Returns a result as JSON. JSON has no functions, and no infinite numbers. */
  function jsonOf(result: unknown, at: object): string | undefined {
    return JSON.stringify(result, (_, value: unknown) => {
      const isFunction =
        typeof value === 'function' || Object(value)._jsonata_lambda || Object(value)._jsonata_function;
      if (isFunction || (typeof value === 'number' && !Number.isFinite(value))) throw new Failed(at);
      return value;
    });
  }
}
