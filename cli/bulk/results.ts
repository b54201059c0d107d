import * as z from 'zod/mini';
import type { Place } from '../../lib/workflow/bulk/manifest.ts';
import { entriesOfArray } from './json-array.ts';
import { jsonIn } from './json-in.ts';
import { OUTCOMES, type ToldDone, type ToldFailure } from './tally.ts';

const wholeNumber = z.coerce.number();
const Done = z.object({ entry: z.number(), line: z.number(), outcome: z.enum(OUTCOMES), replayed: z.boolean() });
const Input = z.object({
  entry: z.object({ entry: wholeNumber, line: wholeNumber, offset: wholeNumber, bytes: wholeNumber }),
});

/** What Step Functions says of the execution of a line. */
const Child = z.object({
  Input: z.optional(z.string()),
  Output: z.optional(z.string()),
  Error: z.optional(z.string()),
  Cause: z.optional(z.string()),
});
/** What Lambda says of an error that a function threw. */
const Thrown = z.object({ errorMessage: z.string() });

/** The result of a line on a stack. A failure says where the line is in the manifest. */
export type StackResult = ToldDone | (ToldFailure & { readonly place: Pick<Place, 'offset' | 'bytes'> });

/** The results of lines in a file that Step Functions wrote: an array of their executions. */
export async function* resultsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StackResult> {
  let held = Buffer.alloc(0);
  let from = 0;
  async function* keeping() {
    for await (const chunk of chunks) {
      held = Buffer.concat([held, chunk]);
      yield chunk;
    }
  }
  for await (const { offset, bytes } of entriesOfArray(keeping())) {
    const text = held.subarray(offset - from, offset - from + bytes).toString();
    held = held.subarray(offset - from + bytes);
    from = offset + bytes;
    yield told(Child.parse(JSON.parse(text)));
  }
}

function told({
  Input: input = '',
  Output: output,
  Error: failure = 'Error',
  Cause: cause = '',
}: z.infer<typeof Child>): StackResult {
  if (output !== undefined) return Done.parse(JSON.parse(output));
  const { entry, line, ...place } = Input.parse(JSON.parse(input)).entry;
  const thrown = Thrown.safeParse(jsonIn(cause));
  return { entry, line, outcome: 'failed', failure, cause: thrown.success ? thrown.data.errorMessage : cause, place };
}
