import { randomUUID } from 'node:crypto';
import { companiesIn, type NewKey } from '../../lib/credentials/companies.ts';
import { fixedSecret } from '../../lib/credentials/secrets.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';
import { S3StandIn } from '../support/aws/s3.ts';
import { authenticationHere, gatewayHere } from '../support/gateway-here.ts';

const SIGNING_KEYS = JSON.stringify({ id: 'initial', secret: 'not-a-real-secret-but-just-as-long' });

/** A service to stand in front of, with one account. @returns where it is */
export async function serveBehind(account: NewKey & { readonly companyId: string }) {
  const { client, tableName: table } = new DynamoDbStandIn();
  const { objects } = new S3StandIn();
  const store = dynamoDbStorage({ table, client, objects, now: Date.now, newId: randomUUID });
  await companiesIn(store, Date.now).add(account.companyId, account);
  const authentication = authenticationHere({ store, secret: fixedSecret(SIGNING_KEYS), now: Date.now });
  const gateway = gatewayHere({ store, authentication });
  const port = await gateway.listen(0);
  return { url: `http://127.0.0.1:${port}`, close: () => gateway.close() };
}
