import * as z from 'zod/mini';

const OneOrMore = z.union([z.string(), z.readonly(z.array(z.string()))]);

/** What an authorizer may return. Strict: a condition that is not evaluated here must not pass for allowed. */
export const Authorization = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Version: z.optional(z.string()),
    Statement: z.array(
      z.strictObject({
        Sid: z.optional(z.string()),
        Effect: z.enum(['Allow', 'Deny']),
        Action: OneOrMore,
        Resource: OneOrMore,
      }),
    ),
  }),
  context: z.nullish(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});
export type Authorization = z.infer<typeof Authorization>;
export type PolicyDocument = Authorization['policyDocument'];

const INVOKE = 'execute-api:Invoke';

/** Whether a policy lets its bearer call a method: denied if any statement denies, else allowed if one allows. */
export function allows({ Statement }: PolicyDocument, methodArn: string): boolean {
  let allowed = false;
  for (const { Effect, Action, Resource } of Statement) {
    if (!matchesAny(Action, INVOKE) || !matchesAny(Resource, methodArn)) continue;
    if (Effect === 'Deny') return false;
    allowed = true;
  }
  return allowed;
}

function matchesAny(patterns: string | readonly string[], text: string): boolean {
  return typeof patterns === 'string' ? matches(patterns, text) : patterns.some((pattern) => matches(pattern, text));
}

/** IAM wildcards: `*` is any text, slashes too, `?` any character. Not a RegExp: many stars must not cost exponential time. */
function matches(pattern: string, text: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let retry = 0;
  while (index < text.length) {
    const expected = pattern[at];
    if (expected === '*') {
      star = at++;
      retry = index;
    } else if (expected === '?' || expected === text[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++retry;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
