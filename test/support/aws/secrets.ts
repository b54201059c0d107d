import * as z from 'zod/mini';
import { Refusal } from './wire.ts';

const Secret = z.object({ SecretId: z.string() });
const Get = z.extend(Secret, { VersionId: z.optional(z.string()), VersionStage: z.optional(z.string()) });
const Put = z.extend(Secret, {
  ClientRequestToken: z.string(),
  SecretString: z.string(),
  VersionStages: z.array(z.string()),
});
const Move = z.extend(Secret, {
  VersionStage: z.string(),
  MoveToVersionId: z.string(),
  RemoveFromVersionId: z.string(),
});

interface Version {
  readonly id: string;
  readonly text: string;
  readonly stages: readonly string[];
}

/** Secrets Manager in memory: each secret with its versions and their stages. Requests and answers are its JSON. */
export class SecretsStandIn {
  readonly #secrets = new Map<string, Version[]>();

  /** @param secrets the first value of each, by name */
  constructor(secrets: Readonly<Record<string, unknown>>) {
    for (const [name, value] of Object.entries(secrets)) {
      this.#secrets.set(name, [{ id: 'first', text: JSON.stringify(value), stages: ['AWSCURRENT'] }]);
    }
  }

  readonly operations = {
    GetSecretValue: (request: unknown) => {
      const { SecretId, VersionId, VersionStage } = Get.parse(request);
      // of a version that is named, whatever stage it is in
      const stage = VersionStage ?? (VersionId === undefined ? 'AWSCURRENT' : undefined);
      const found = this.#versionsOf(SecretId).find(
        ({ id, stages }) => (VersionId ?? id) === id && (stage === undefined || stages.includes(stage)),
      );
      if (!found) throw new Refusal('ResourceNotFoundException');
      return { Name: SecretId, SecretString: found.text };
    },

    DescribeSecret: (request: unknown) => {
      const { SecretId } = Secret.parse(request);
      const stages = this.#versionsOf(SecretId).map((version) => [version.id, version.stages]);
      return { Name: SecretId, VersionIdsToStages: Object.fromEntries(stages) };
    },

    PutSecretValue: (request: unknown) => {
      const { SecretId, ClientRequestToken: id, SecretString: text, VersionStages: stages } = Put.parse(request);
      this.#versionsOf(SecretId).push({ id, text, stages });
      return {};
    },

    UpdateSecretVersionStage: (request: unknown) => {
      const { SecretId, VersionStage, MoveToVersionId, RemoveFromVersionId } = Move.parse(request);
      const moved = this.#versionsOf(SecretId).map((version) => {
        const others = version.stages.filter((stage) => stage !== VersionStage);
        if (version.id === MoveToVersionId) return { ...version, stages: [...others, VersionStage] };
        return version.id === RemoveFromVersionId ? { ...version, stages: others } : version;
      });
      this.#secrets.set(SecretId, moved);
      return {};
    },
  };

  #versionsOf(name: string): Version[] {
    const versions = this.#secrets.get(name);
    if (!versions) throw new Refusal('ResourceNotFoundException');
    return versions;
  }
}
