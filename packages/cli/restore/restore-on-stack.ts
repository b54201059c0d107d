import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { APIGatewayClient, paginateGetUsagePlanKeys } from '@aws-sdk/client-api-gateway';
import { endpointOf } from '../../../lib/aws/sdk-endpoint.ts';
import { usagePlanKeyName } from '../../../lib/credentials/usage-plan-key.ts';
import { dynamoDbClient } from '../../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { listObjects, objectsIn, s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../../lib/storage/dynamodb/storage.ts';
import { type StackTable, tableClient } from '../../../lib/storage/dynamodb/table-settings.ts';
import type { CompanyPlans } from '../deployment.ts';
import { type Restored, type RestoreRequest, restore } from './restore.ts';

/** The outputs of a stack that a restore needs. */
interface StackOutputs {
  readonly tables: Readonly<Record<Exclude<StackTable, 'deliveriesTable'>, string>>;
  /** The bucket of payloads; absent in front of an upstream service. */
  readonly bucket: string | undefined;
  /** The plan of the companies that have none of their own. */
  readonly plan: { readonly id: string; readonly apiId: string };
  /** The plans of the companies. Some companies have one of their own. */
  readonly plans: CompanyPlans;
}

/** Prepares a restored table for a stack in AWS. */
export function restoreOnStack(
  { tables, bucket, plan, plans }: StackOutputs,
  request: RestoreRequest,
): Promise<Restored> {
  const options = { endpointOf, now: Date.now };
  const client = dynamoDbClient(options);
  const s3 = bucket === undefined ? undefined : s3Client();
  return restore(
    {
      call: tableClient(options),
      tables,
      storeIn: (table) => dynamoDbItems(table, client),
      ...(s3 &&
        bucket !== undefined && {
          hosted: {
            storageIn: (table: string) =>
              dynamoDbStorage({ table, client, objects: objectsIn(bucket, s3), now: Date.now, newId: randomUUID }),
            objects: () => listObjects(bucket, s3),
          },
        }),
      async addToUsagePlan(companyIds, isDryRun) {
        const members = await membersOf(plan.id);
        const missing: string[] = [];
        for (const companyId of companyIds) {
          const isMember = members.has(usagePlanKeyName({ apiId: plan.apiId, companyId }));
          if (!isMember && !(await plans.read(companyId))) missing.push(companyId);
        }
        if (!isDryRun) for (const companyId of missing) await plans.add(companyId);
        return missing;
      },
      now: Date.now,
      sleep: (ms) => setTimeout(ms),
      newEventId: randomUUID,
    },
    request,
  );
}

/** Returns the names of the API Gateway keys of a usage plan. */
async function membersOf(usagePlanId: string): Promise<Set<string>> {
  const names = new Set<string>();
  const pages = paginateGetUsagePlanKeys({ client: new APIGatewayClient(), pageSize: 500 }, { usagePlanId });
  for await (const { items = [] } of pages) for (const { name } of items) if (name !== undefined) names.add(name);
  return names;
}
