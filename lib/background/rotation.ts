import type { VersionedSecretStore } from '../credentials/secret-store.ts';
import { type NewSigningKey, RotationEvent, rotateSigningKeys } from '../credentials/signing-key-rotation.ts';
import { failureFields, type Log, logToStandardError } from '../service/log.ts';

export interface RotationOptions {
  readonly store: VersionedSecretStore;
  /** Makes a random key. */
  readonly newKey: () => NewSigningKey;
  readonly now: () => number;
  readonly log?: Log;
}

/** Makes the function that Secrets Manager calls, step by step, to rotate the keys that sign tokens. */
export function signingKeyRotation({
  store,
  newKey,
  now,
  log = logToStandardError,
}: RotationOptions): (event: unknown, context: { readonly awsRequestId: string }) => Promise<void> {
  return async (event, { awsRequestId: requestId }) => {
    const began = now();
    const base = { operation: 'rotateSigningKeys', requestId };
    try {
      const rotation = RotationEvent.parse(event);
      await rotateSigningKeys(rotation, store, newKey, began);
      log({ ...base, durationMs: now() - began });
    } catch (error) {
      log({ ...base, durationMs: now() - began, ...failureFields(error) });
      throw error;
    }
  };
}
