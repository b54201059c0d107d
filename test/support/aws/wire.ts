import * as z from 'zod/mini';

/** An attribute in DynamoDB's JSON, with the types that the store uses. */
export const Value = z.union([
  z.strictObject({ S: z.string() }),
  z.strictObject({ N: z.string().check(z.regex(/^\d{1,38}$/)) }),
  z.strictObject({ B: z.string() }),
]);
export type Value = z.infer<typeof Value>;

export const Attributes = z.record(z.string(), Value);
export type Attributes = Readonly<Record<string, Value>>;

const Text = z.strictObject({ S: z.string() });
export const Key = z.strictObject({ partition: Text, sort: Text });
export type Key = z.infer<typeof Key>;

/** An error that DynamoDB answers with. */
export class Refusal extends Error {
  readonly status: number;
  readonly reasons: readonly { readonly Code: string }[] | undefined;

  constructor(name: string, { status = 400, reasons }: { status?: number; reasons?: Refusal['reasons'] } = {}) {
    super(`planted or due: ${name}`);
    this.name = name;
    this.status = status;
    this.reasons = reasons;
  }
}

export function invalid(): Refusal {
  return new Refusal('ValidationException');
}

/** Returns the size of an item as DynamoDB counts it, in bytes, with the names of attributes. */
export function sizeOf(item: Attributes): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);
}

function sizeOfValue(value: Value): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  return 'B' in value ? Buffer.byteLength(value.B, 'base64') : Math.ceil(value.N.length / 2) + 1;
}

/**
 * Returns the schema of a request in an AWS JSON protocol.
 * @param prefix the beginning of the operation's name in its header
 */
export function jsonRequest<Name extends string>(prefix: string, names: readonly Name[]) {
  const operation = z.pipe(
    z.string().check(z.startsWith(prefix)),
    z.transform((target) => target.slice(prefix.length)),
  );
  const headers = z.object({ 'x-amz-target': z.pipe(operation, z.enum(names)) });
  return z.object({ headers, body: z.instanceof(Uint8Array) });
}

export function jsonResponse(statusCode: number, body: unknown) {
  return { statusCode, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}
