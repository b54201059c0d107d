import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

const Answer = z.union([
  z.strictObject({ result: z.unknown() }),
  z.strictObject({ error: z.string(), cause: z.string() }),
  z.strictObject({ echo: z.literal(true) }),
]);

const Case = z.strictObject({
  about: z.string(),
  /** The answers of each function, one for each call; the last one is repeated. */
  functions: z.record(z.string(), z.array(Answer)),
  input: z.unknown(),
  definition: z.looseObject({}),
  expected: z.union([
    z.strictObject({ output: z.unknown() }),
    z.strictObject({ error: z.string(), cause: z.optional(z.string()) }),
  ]),
});

/** A state machine with its functions, an input, and the end of its execution. */
export interface DefinitionCase extends z.infer<typeof Case> {
  readonly name: string;
  /** Whether a state of it uses JSONata. */
  readonly hasJsonata: boolean;
}

/** The cases in this folder. */
export const CASES: readonly DefinitionCase[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.json'))
  .map((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    return { ...Case.parse(JSON.parse(text)), name: file, hasJsonata: text.includes('"JSONata"') };
  });

/** Returns the functions of a case. They give their answers in order. */
export function functionsOf({ functions }: DefinitionCase): (name: string, input: unknown) => Promise<unknown> {
  const calls = new Map<string, number>();
  return async (name, input) => {
    const answers = functions[name] ?? [];
    const count = calls.get(name) ?? 0;
    calls.set(name, count + 1);
    const answer = answers[Math.min(count, answers.length - 1)];
    if (!answer) throw new RangeError(`The case has no function ${name}`);
    if ('echo' in answer) return input;
    if ('result' in answer) return answer.result;
    throw Object.assign(new Error(answer.cause), { name: answer.error });
  };
}

/** The last part of a function's ARN. */
export function functionName(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}
