/** Named secrets. No error of a store contains a secret. */
export interface SecretStore {
  /** Reads the current version. Fails if the secret does not exist or cannot be read now. */
  read(name: string): Promise<string>;
  /** Creates a secret. Creating an existing secret changes nothing. */
  create(name: string, text: string): Promise<void>;
  /** Deletes a secret for good. Deleting it again changes nothing. */
  delete(name: string): Promise<void>;
}

/** A store that keeps several versions of a secret, as a rotation by AWS Secrets Manager needs them. */
export interface VersionedSecretStore extends SecretStore {
  /** Reads a version in any stage. Returns `undefined` if it does not exist or is empty. */
  readVersion(name: string, versionId: string): Promise<string | undefined>;
  /** Stores the version that comes next; `read` does not return it yet. Repeating this changes nothing. */
  stageVersion(name: string, versionId: string, text: string): Promise<void>;
  /** Makes a staged version the current one. Repeating this changes nothing. */
  promoteVersion(name: string, versionId: string): Promise<void>;
}
