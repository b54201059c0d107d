import type { VersionedSecretStore } from '../credentials/secret-store.ts';
import { type NewSigningKey, RotationEvent, rotateSigningKeys } from '../credentials/signing-key-rotation.ts';
import { type BackgroundFunction, type BackgroundOptions, backgroundFunction } from './background-function.ts';

export interface RotationOptions extends BackgroundOptions {
  readonly store: VersionedSecretStore;
  /** Makes a random key. */
  readonly newKey: () => NewSigningKey;
}

/** Makes the function that Secrets Manager calls for each step of a rotation of the keys that sign tokens. */
export function signingKeyRotation({
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
