/** The first message to the process. */
export interface EvaluationSetup {
  /** The source code of JSONata, as text. */
  readonly jsonata: string;
  /** The most bytes of a value, as JSON. */
  readonly maxBytes: number;
}

/** Every later message to the process: a value whose texts `{% … %}` are expressions. */
export interface EvaluationRequest {
  readonly template: unknown;
  /** The values of the variables, by their names without `$`. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** An expression, and its place in the template, such as `/project/name`. */
export interface ExpressionPlace {
  readonly pointer: string;
  readonly expression: string;
}

/** A failure of an expression. */
export interface ExpressionFailure extends ExpressionPlace {
  readonly kind: 'failed';
  /** The code of JSONata, or why its result is no value. */
  readonly code: string;
  readonly position?: number;
  readonly token?: string;
  /** The symbol that should be there. */
  readonly expected?: string;
  /** The number of the wrong argument. */
  readonly index?: number;
  /** The message of the function `$error` or `$assert`. */
  readonly message?: string;
}

/** The answer to a request. Before it, the process names each expression that it begins with. */
export type Evaluation =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'too-large' }
  | ExpressionFailure;
export type Answer = Evaluation | ({ readonly kind: 'begun' } & ExpressionPlace);

/** The type of JSONata, as far as the program uses it. */
type Jsonata = (expression: string) => {
  registerFunction(name: string, implementation: (...args: unknown[]) => unknown): void;
  assign(name: string, value: undefined): void;
  evaluate(input: unknown, variables: Readonly<Record<string, unknown>>): Promise<unknown>;
};

/**
 * The program of the process that evaluates JSONata as Step Functions does. The process gets this function as text, so the
 * function may use only Node's built-in modules and nothing else of this file.
 */
export function jsonataProgram(): void {
  const { createHash, randomUUID } = process.getBuiltinModule('node:crypto');
  const { runInThisContext } = process.getBuiltinModule('node:vm');
  // The terminal sends Ctrl-C to this process too, and the execution decides when it ends.
  process.on('SIGINT', () => {});
  let jsonata: Jsonata;
  let maxBytes = 0;
  const EXPRESSION = /^\{%([\s\S]*)%\}$/;

  class Failed extends Error {
    readonly result: Evaluation;
    constructor(result: Evaluation) {
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
      if (typeof text !== 'string') return wrong();
      try {
        return JSON.parse(text);
      } catch {
        throw Object.assign(new Error(), { code: 'not-json' });
      }
    },
  };

  const send = (answer: Answer) => process.send?.(answer);
  process.once('message', ({ jsonata: source, maxBytes: most }: EvaluationSetup) => {
    const module: { exports: unknown } = { exports: {} };
    const load = runInThisContext(`((module, exports) => { ${source}\n return module.exports; })`);
    jsonata = load(module, module.exports);
    maxBytes = most;
    process.on('message', async ({ template, variables }: EvaluationRequest) => {
      try {
        const json = JSON.stringify(await evaluate(template, variables, ''));
        send(isTooLarge(json) ? { kind: 'too-large' } : { kind: 'value', json });
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        send(error.result);
      }
    });
  });

  function isTooLarge(json: string): boolean {
    return json.length > maxBytes || Buffer.byteLength(json) > maxBytes;
  }

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
    send({ kind: 'begun', ...at });
    let value: unknown;
    try {
      const parsed = jsonata(at.expression);
      for (const [name, implementation] of Object.entries(functions)) parsed.registerFunction(name, implementation);
      // Step Functions has no `$eval`.
      parsed.assign('eval', undefined);
      value = await parsed.evaluate(undefined, variables);
    } catch (error) {
      throw new Failed({ kind: 'failed', ...at, ...failureOf(error) });
    }
    const json: string | undefined = jsonOf(value, at);
    if (json === undefined) throw new Failed({ kind: 'failed', ...at, code: 'undefined' });
    if (isTooLarge(json)) throw new Failed({ kind: 'too-large' });
    return JSON.parse(json);
  }

  function failureOf(error: unknown) {
    const { code, message, position, token, value, index }: Record<string, unknown> = Object(error);
    const isOwn = code === 'D3137' || code === 'D3141';
    return {
      // V8 refuses texts that are too long, and JSONata passes this error on.
      code: typeof code === 'string' ? code : error instanceof RangeError ? 'too-long' : 'other',
      ...(typeof position === 'number' && { position }),
      ...((typeof token === 'string' || typeof token === 'number') && { token: String(token) }),
      ...((code === 'S0202' || code === 'S0203') && { expected: String(value) }),
      ...(typeof index === 'number' && { index }),
      ...(isOwn && typeof message === 'string' && { message }),
    };
  }

  /** Returns a result as JSON. JSON has no functions, and no infinite numbers. */
  function jsonOf(result: unknown, at: ExpressionPlace): string | undefined {
    return JSON.stringify(result, (_, value: unknown) => {
      const isFunction =
        typeof value === 'function' || Object(value)._jsonata_lambda || Object(value)._jsonata_function;
      if (isFunction || (typeof value === 'number' && !Number.isFinite(value)))
        throw new Failed({ kind: 'failed', ...at, code: 'no-value' });
      return value;
    });
  }
}
