import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { signingSecret } from '../../../functions/compose/aws-sdk.ts';
import { secretsManagerReader } from '../../../lib/aws/secrets-manager.ts';
import { signingKeyRotation } from '../../../lib/background/signing-key-rotation.ts';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';
import { authenticationHere, gatewayHere } from '../../support/gateway-here.ts';
import { addCompany } from '../../support/segue.ts';
import type { Target } from './load.ts';

/** A gateway whose signing keys are in Secrets Manager, and what rotates them. */
export interface Signing extends Target {
  /** All that Secrets Manager asks of a rotation. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
}

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;

/**
 * Opens the hosted service in this process. No policy is kept: every request has its token verified.
 * @param now the clock of tokens and keys, in milliseconds since 1970
 */
export async function openSigning(client: SecretsManagerClient, now: () => number): Promise<Signing> {
  const name = `segue/${randomUUID()}`;
  // As the stack makes it.
  const first = JSON.stringify({ id: 'first', secret: 'x'.repeat(64) });
  await client.send(new CreateSecretCommand({ Name: name, SecretString: first }));
  const rotation = signingKeyRotation({ ...signingSecret(), now, log: () => {} });
  const folder = await mkdtemp(join(tmpdir(), 'segue-'));
  const database = openDatabase(folder);
  const store = new SqliteStorage(database, now);
  const newAuthentication = () => {
    const read = secretsManagerReader({ now });
    return authenticationHere({ store, secret: () => read(name), now });
  };
  // What issues tokens and what verifies them are functions of their own, and each reads the keys when it does.
  const [issuing, authentication] = [newAuthentication(), newAuthentication()];
  const gateway = gatewayHere({ store, authentication, issuing, authorizerTtlMs: 0 });
  const port = await gateway.listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    key: await addCompany(folder, 'partner'),
    now,
    async rotate() {
      const version = randomUUID();
      for (const Step of STEPS) {
        await rotation({ Step, SecretId: name, ClientRequestToken: version }, { awsRequestId: version });
      }
    },
    async stop() {
      await gateway.close();
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
