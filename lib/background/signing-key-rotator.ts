import type { VersionedSecretStore } from '../credentials/secret-store.ts';
import { type NewSigningKey, RotationEvent, rotateSigningKeys } from '../credentials/signing-key-rotation.ts';
import { type BackgroundFunction, type BackgroundOptions, backgroundFunction } from './background-function.ts';

export interface RotationOptions extends BackgroundOptions {
  readonly store: VersionedSecretStore;
  /** Creates a random signing key. */
  readonly newKey: () => NewSigningKey;
}

/**
 * Creates the function that rotates the keys that sign tokens. AWS Secrets Manager calls it for each step of a
 * rotation.
 */
export function signingKeyRotator({
  store,
  newKey,
  ...options
}: RotationOptions): BackgroundFunction<void, { readonly awsRequestId: string }> {
  return backgroundFunction(
    'rotateSigningKeys',
    async (event) => {
      const rotation = RotationEvent.parse(event);
      await rotateSigningKeys(rotation, store, newKey, options.now());
      return { result: undefined };
    },
    options,
  );
}
