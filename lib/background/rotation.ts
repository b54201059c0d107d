import { type RotatingSecret, RotationEvent, rotateSecret } from '../credentials/rotation.ts';
import { failureFields, type Log, logToStandardError } from '../service/log.ts';

export interface RotationOptions {
  readonly secretOf: (secretId: string) => RotatingSecret;
  /** A key that nobody else has. */
  readonly newKey: () => { id: string; secret: string };
  readonly now: () => number;
  readonly log?: Log;
}

/** Makes the function that Secrets Manager calls, step by step, to rotate the keys that sign tokens. */
export function signingKeyRotation({
  secretOf,
  newKey,
  now,
  log = logToStandardError,
}: RotationOptions): (event: unknown, context: { readonly awsRequestId: string }) => Promise<void> {
  return async (event, { awsRequestId: requestId }) => {
    const began = now();
    const base = { operation: 'rotateSigningKeys', requestId };
    try {
      const rotation = RotationEvent.parse(event);
      await rotateSecret(rotation, secretOf(rotation.SecretId), newKey, began);
      log({ ...base, durationMs: now() - began });
    } catch (error) {
      log({ ...base, durationMs: now() - began, ...failureFields(error) });
      throw error;
    }
  };
}
