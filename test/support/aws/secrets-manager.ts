import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { secretsManagerReader } from '../../../lib/aws/secrets-manager.ts';
import { secretsManagerClient } from '../../../lib/aws/secrets-manager-store.ts';
import { heldNow } from '../../lib/support.ts';
import { AWS_ENDPOINT, NOWHERE } from './dynamodb.ts';
import { Refusal } from './wire.ts';

const PREFIX = 'secretsmanager.';
const Operation = z.enum(['GetSecretValue', 'PutSecretValue', 'DescribeSecret', 'UpdateSecretVersionStage']);
const Target = z.pipe(
  z.pipe(
    z.string().check(z.startsWith(PREFIX)),
    z.transform((target) => target.slice(PREFIX.length)),
  ),
  Operation,
);
const Request = z.object({ headers: z.object({ 'x-amz-target': Target }), body: z.instanceof(Uint8Array) });
const Get = z.object({ VersionId: z.optional(z.string()), VersionStage: z.optional(z.string()) });
const Put = z.object({ ClientRequestToken: z.string(), SecretString: z.string(), VersionStages: z.array(z.string()) });
const Move = z.object({ VersionStage: z.string(), MoveToVersionId: z.string(), RemoveFromVersionId: z.string() });

const [CURRENT, PENDING, PREVIOUS] = ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'];

/**
 * Secrets Manager in memory, with one secret: the SDK's own client, whose requests are answered here. It does what a
 * rotation asks of it, by the rules of versions and their stages.
 */
export class SecretsManagerStandIn {
  readonly secretId = 'signing-keys';
  /** What each version holds. One without is there and holds nothing. */
  readonly #texts = new Map<string, string | undefined>();
  /** Which version is in each stage. */
  readonly #stages = new Map<string, string>();
  readonly #clearsPending: boolean;

  /** @param clearsPending whether a version that becomes the current one is pending no more: nothing says so */
  constructor(text: string, clearsPending = false) {
    this.#texts.set('made', text);
    this.#stages.set(CURRENT, 'made');
    this.#clearsPending = clearsPending;
  }

  newClient(): SecretsManagerClient {
    const handle = async (request: unknown) => ({ response: this.#respond(Request.parse(request)) });
    return secretsManagerClient({ ...NOWHERE, requestHandler: { handle } });
  }

  /** What functions that only read have. */
  newReader(): (secretId: string) => Promise<string> {
    return secretsManagerReader({
      now: heldNow,
      endpointOf: async () => AWS_ENDPOINT,
      post: async (request) => {
        const { statusCode, body } = this.#respond(Request.parse({ ...request, body: Buffer.from(request.body) }));
        return { status: statusCode, body: body.toString() };
      },
    });
  }

  /** Begins a rotation: a version is pending, with nothing in it or with a copy of the current one. */
  begin(version: string, text?: string): void {
    this.#texts.set(version, text);
    this.#stages.set(PENDING, version);
  }

  /** The current version and what it holds. */
  current() {
    const version = this.#stages.get(CURRENT) ?? '';
    return { version, text: this.#texts.get(version) };
  }

  #respond({ headers: { 'x-amz-target': operation }, body }: z.infer<typeof Request>) {
    try {
      return response(200, this.#operations[operation](JSON.parse(new TextDecoder().decode(body))));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return response(error.status, { __type: error.name, message: error.message });
    }
  }

  readonly #operations: Readonly<Record<z.infer<typeof Operation>, (request: unknown) => unknown>> = {
    GetSecretValue: (request) => {
      const { VersionId, VersionStage = VersionId === undefined ? CURRENT : undefined } = Get.parse(request);
      const inStage = VersionStage && this.#stages.get(VersionStage);
      if (VersionId !== undefined && VersionStage !== undefined && inStage !== VersionId) throw notFound();
      const SecretString = this.#texts.get(VersionId ?? inStage ?? '');
      if (SecretString === undefined) throw notFound();
      return { SecretString };
    },

    PutSecretValue: (request) => {
      const { ClientRequestToken: version, SecretString, VersionStages } = Put.parse(request);
      const before = this.#texts.get(version);
      // A version is written once; to write the same again is fine.
      if (before !== undefined && before !== SecretString) throw new Refusal('ResourceExistsException');
      this.#texts.set(version, SecretString);
      for (const stage of VersionStages) this.#stages.set(stage, version);
      return { VersionId: version, VersionStages };
    },

    DescribeSecret: () => {
      const stagesOf = (version: string) => [...this.#stages].flatMap(([stage, of]) => (of === version ? [stage] : []));
      const versions = [...this.#texts.keys()].map((version) => [version, stagesOf(version)] as const);
      return { VersionIdsToStages: Object.fromEntries(versions.filter(([, stages]) => stages.length > 0)) };
    },

    UpdateSecretVersionStage: (request) => {
      const { VersionStage, MoveToVersionId, RemoveFromVersionId } = Move.parse(request);
      if (this.#stages.get(VersionStage) !== RemoveFromVersionId) throw new Refusal('InvalidParameterException');
      if (!this.#texts.has(MoveToVersionId)) throw notFound();
      if (VersionStage === CURRENT) this.#stages.set(PREVIOUS, RemoveFromVersionId);
      this.#stages.set(VersionStage, MoveToVersionId);
      if (this.#clearsPending && this.#stages.get(PENDING) === MoveToVersionId) this.#stages.delete(PENDING);
      return {};
    },
  };
}

function notFound(): Refusal {
  return new Refusal('ResourceNotFoundException');
}

function response(statusCode: number, body: unknown) {
  return { statusCode, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}
