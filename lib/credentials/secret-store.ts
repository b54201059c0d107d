/** A store of named secrets. Its errors contain no secret. */
export interface SecretStore {
  /** Reads the current version of a secret. Throws if the secret does not exist or cannot be read at the moment. */
  read(name: string): Promise<string>;
  /** Creates a secret. If the secret exists, nothing changes. */
  create(name: string, text: string): Promise<void>;
  /** Deletes a secret permanently. If the secret does not exist, nothing changes. */
  delete(name: string): Promise<void>;
}

/** A secret store that keeps several versions of a secret. A rotation by AWS Secrets Manager needs it. */
export interface VersionedSecretStore extends SecretStore {
  /** Reads a version of a secret in any stage. Returns `undefined` if the version does not exist or is empty. */
  readVersion(name: string, versionId: string): Promise<string | undefined>;
  /**
   * Stores the next version of a secret. `read` returns it only after `promoteVersion`. Storing it again changes
   * nothing.
   */
  stageVersion(name: string, versionId: string, text: string): Promise<void>;
  /** Makes a staged version the current version. If it is current already, nothing changes. */
  promoteVersion(name: string, versionId: string): Promise<void>;
}
