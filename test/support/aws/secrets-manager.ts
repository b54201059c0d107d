import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { secretsManagerReader } from '../../../lib/aws/secrets-manager.ts';
import { secretsManagerClient } from '../../../lib/aws/secrets-manager-store.ts';
import { heldNow } from '../../lib/support.ts';
import { AWS_ENDPOINT, NOWHERE } from './dynamodb.ts';
import { jsonRequest, jsonResponse, Refusal } from './wire.ts';

const OPERATIONS = ['GetSecretValue', 'PutSecretValue', 'DescribeSecret', 'UpdateSecretVersionStage'] as const;
const Request = jsonRequest('secretsmanager.', [...OPERATIONS, 'CreateSecret', 'DeleteSecret']);
const Create = z.object({ Name: z.string(), SecretString: z.string() });
const OfSecret = z.object({ SecretId: z.string() });
const Get = z.object({ VersionId: z.optional(z.string()), VersionStage: z.optional(z.string()) });
const Put = z.object({ ClientRequestToken: z.string(), SecretString: z.string(), VersionStages: z.array(z.string()) });
const Move = z.object({ VersionStage: z.string(), MoveToVersionId: z.string(), RemoveFromVersionId: z.string() });

const [CURRENT, PENDING, PREVIOUS] = ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'];

interface Secret {
  /** The text of each version; `undefined` for a version without one. */
  readonly texts: Map<string, string | undefined>;
  /** The version in each stage. */
  readonly stages: Map<string, string>;
}

/**
 * Secrets Manager in memory, with a client of the SDK, whose requests are answered here. It supports a rotation, by the
 * rules of versions and their stages. A deleted secret is gone at once.
 */
export class SecretsManagerStandIn {
  /** The secret that tests rotate. */
  readonly secretId = 'signing-keys';
  readonly #rotated: Secret;
  readonly #secrets = new Map<string, Secret>();
  readonly #clearsPending: boolean;

  /**
   * Creates Secrets Manager with one secret.
   * @param clearsPending whether a version that becomes current leaves the pending stage: AWS does not say
   */
  constructor(text = '{}', clearsPending = false) {
    this.#rotated = this.add(this.secretId, text);
    this.#clearsPending = clearsPending;
  }

  /** Adds a secret, with one version. */
  add(name: string, text: string): Secret {
    const secret = { texts: new Map([['made', text]]), stages: new Map([[CURRENT, 'made']]) };
    this.#secrets.set(name, secret);
    return secret;
  }

  newClient(): SecretsManagerClient {
    const handle = async (request: unknown) => ({ response: this.respond(request) });
    return secretsManagerClient({ ...NOWHERE, requestHandler: { handle } });
  }

  /** Returns a reader of secrets, for functions that only read. */
  newReader(): (secretId: string) => Promise<string> {
    return secretsManagerReader({
      now: heldNow,
      endpointOf: async () => AWS_ENDPOINT,
      post: async (request) => {
        const { statusCode, body } = this.respond({ ...request, body: Buffer.from(request.body) });
        return { status: statusCode, body: body.toString() };
      },
    });
  }

  /** Begins a rotation: adds a pending version, which is empty or a copy of the current one. */
  begin(version: string, text?: string): void {
    this.#rotated.texts.set(version, text);
    this.#rotated.stages.set(PENDING, version);
  }

  /** Returns the current version and its text. */
  current() {
    const version = this.#rotated.stages.get(CURRENT) ?? '';
    return { version, text: this.#rotated.texts.get(version) };
  }

  respond(request: unknown) {
    const {
      headers: { 'x-amz-target': operation },
      body,
    } = Request.parse(request);
    try {
      const sent: unknown = JSON.parse(new TextDecoder().decode(body));
      if (operation === 'CreateSecret') return jsonResponse(200, this.#create(sent));
      const { SecretId } = OfSecret.parse(sent);
      const secret = this.#secrets.get(SecretId);
      if (!secret) throw notFound();
      if (operation === 'DeleteSecret') return jsonResponse(200, { deleted: this.#secrets.delete(SecretId) });
      return jsonResponse(200, this.#operations[operation](secret, sent));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return jsonResponse(error.status, { __type: error.name, message: error.message });
    }
  }

  #create(request: unknown) {
    const { Name, SecretString } = Create.parse(request);
    if (this.#secrets.has(Name)) throw new Refusal('ResourceExistsException');
    this.add(Name, SecretString);
    return { Name };
  }

  readonly #operations: Readonly<Record<(typeof OPERATIONS)[number], (secret: Secret, request: unknown) => unknown>> = {
    GetSecretValue: ({ texts, stages }, request) => {
      const { VersionId, VersionStage = VersionId === undefined ? CURRENT : undefined } = Get.parse(request);
      const inStage = VersionStage && stages.get(VersionStage);
      if (VersionId !== undefined && VersionStage !== undefined && inStage !== VersionId) throw notFound();
      const SecretString = texts.get(VersionId ?? inStage ?? '');
      if (SecretString === undefined) throw notFound();
      return { SecretString };
    },

    PutSecretValue: ({ texts, stages }, request) => {
      const { ClientRequestToken: version, SecretString, VersionStages } = Put.parse(request);
      const before = texts.get(version);
      // A version is written once. Writing the same text again succeeds.
      if (before !== undefined && before !== SecretString) throw new Refusal('ResourceExistsException');
      texts.set(version, SecretString);
      for (const stage of VersionStages) stages.set(stage, version);
      return { VersionId: version, VersionStages };
    },

    DescribeSecret: ({ texts, stages }) => {
      const stagesOf = (version: string) => [...stages].flatMap(([stage, of]) => (of === version ? [stage] : []));
      const versions = [...texts.keys()].map((version) => [version, stagesOf(version)] as const);
      return { VersionIdsToStages: Object.fromEntries(versions.filter(([, stages]) => stages.length > 0)) };
    },

    UpdateSecretVersionStage: ({ texts, stages }, request) => {
      const { VersionStage, MoveToVersionId, RemoveFromVersionId } = Move.parse(request);
      if (stages.get(VersionStage) !== RemoveFromVersionId) throw new Refusal('InvalidParameterException');
      if (!texts.has(MoveToVersionId)) throw notFound();
      if (VersionStage === CURRENT) stages.set(PREVIOUS, RemoveFromVersionId);
      stages.set(VersionStage, MoveToVersionId);
      if (this.#clearsPending && stages.get(PENDING) === MoveToVersionId) stages.delete(PENDING);
      return {};
    },
  };
}

function notFound(): Refusal {
  return new Refusal('ResourceNotFoundException');
}
