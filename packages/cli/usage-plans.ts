import {
  APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanCommand,
  CreateUsagePlanKeyCommand,
  DeleteUsagePlanCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanCommand,
  paginateGetUsagePlans,
  UpdateUsagePlanCommand,
  type UsagePlan,
} from '@aws-sdk/client-api-gateway';
import type { Rate } from '../../lib/contract/settings.ts';
import { type UsagePlanMember, usagePlanKeyName, usagePlanKeyValue } from '../../lib/credentials/usage-plan-key.ts';
import type { CompanyPlan, CompanyPlans } from './deployment.ts';
import { CliError } from './io.ts';

/** The API of a stack, and the usage plan of all companies that have no plan of their own. */
interface PlannedApi {
  readonly apiId: string;
  readonly defaultPlanId: string;
}

/**
 * Opens the plans of the companies of a stack: usage plans of API Gateway. Each company has one API key at API Gateway,
 * which counts its requests. The key can be in one plan of an API only.
 */
export function usagePlans({ apiId, defaultPlanId }: PlannedApi): CompanyPlans {
  const client = new APIGatewayClient();

  /** Finds the plans that have a company's key, of this API only. */
  async function plansWith(keyId: string, member: UsagePlanMember): Promise<UsagePlan[]> {
    return (await allPlans(keyId)).filter(({ id, name }) => id === defaultPlanId || name === usagePlanKeyName(member));
  }

  async function allPlans(keyId?: string): Promise<UsagePlan[]> {
    const plans: UsagePlan[] = [];
    for await (const { items = [] } of paginateGetUsagePlans({ client, pageSize: 500 }, { keyId }))
      plans.push(...items);
    return plans;
  }

  /** Finds the plan of a company's own, also if an earlier attempt did not add the company's key to it. */
  const findOwn = async (member: UsagePlanMember) =>
    (await allPlans()).find(({ name }) => name === usagePlanKeyName(member));

  /** Sets the rate of a company's own plan. Creates the plan if there is none. @returns the id of the plan */
  async function putOwn(member: UsagePlanMember, { perSecond, burst }: Rate): Promise<string> {
    const own = await findOwn(member);
    if (own?.id !== undefined) {
      const patchOperations = Object.entries({ rateLimit: perSecond, burstLimit: burst }).map(([limit, value]) => ({
        op: 'replace' as const,
        path: `/throttle/${limit}`,
        value: String(value),
      }));
      await client.send(new UpdateUsagePlanCommand({ usagePlanId: own.id, patchOperations }));
      return own.id;
    }
    const { apiStages } = await client.send(new GetUsagePlanCommand({ usagePlanId: defaultPlanId }));
    const { id } = await client.send(
      new CreateUsagePlanCommand({
        name: usagePlanKeyName(member),
        description: 'The rate of one company',
        throttle: { rateLimit: perSecond, burstLimit: burst },
        apiStages: apiStages?.filter((stage) => stage.apiId === apiId),
      }),
    );
    return required(id);
  }

  const join = (usagePlanId: string, keyId: string) =>
    client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }));

  /** Moves a company's key to a plan. If that fails, the key goes back to the plan that it had. */
  async function move(keyId: string, member: UsagePlanMember, planId: string): Promise<void> {
    const before = (await plansWith(keyId, member)).flatMap(({ id }) => id ?? []);
    if (before.includes(planId)) return;
    for (const usagePlanId of before) await client.send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId }));
    try {
      await join(planId, keyId);
    } catch (error) {
      for (const usagePlanId of before) await join(usagePlanId, keyId).catch(unless(ConflictException));
      throw error;
    }
  }

  /** Deletes the plan of a company's own, if there is one. */
  async function deleteOwn(member: UsagePlanMember): Promise<void> {
    const { id: usagePlanId, apiStages = [] } = (await findOwn(member)) ?? {};
    if (usagePlanId === undefined) return;
    const patchOperations = apiStages.map(({ apiId: api, stage }) => ({
      op: 'remove' as const,
      path: '/apiStages',
      value: `${api}:${stage}`,
    }));
    // API Gateway deletes no plan that still has a stage.
    if (patchOperations.length > 0) await client.send(new UpdateUsagePlanCommand({ usagePlanId, patchOperations }));
    await client.send(new DeleteUsagePlanCommand({ usagePlanId }));
  }

  const planOf = ({ id, throttle: { rateLimit = 0, burstLimit = 0 } = {} }: UsagePlan): CompanyPlan => ({
    isDefault: id === defaultPlanId,
    perSecond: rateLimit,
    burst: burstLimit,
  });

  return {
    async add(companyId) {
      const member = { apiId, companyId };
      const keyId = await usageKeyId(client, member);
      if ((await plansWith(keyId, member)).length > 0) return;
      await join(defaultPlanId, keyId).catch(unless(ConflictException));
    },

    async read(companyId) {
      const member = { apiId, companyId };
      const keyId = await findKeyId(client, member);
      const [plan] = keyId === undefined ? [] : await plansWith(keyId, member);
      return plan && planOf(plan);
    },

    async change(companyId, rate) {
      const member = { apiId, companyId };
      await move(await usageKeyId(client, member), member, await putOwn(member, rate));
      return { isDefault: false, ...rate };
    },

    async reset(companyId) {
      const member = { apiId, companyId };
      await move(await usageKeyId(client, member), member, defaultPlanId);
      await deleteOwn(member);
      return planOf(await client.send(new GetUsagePlanCommand({ usagePlanId: defaultPlanId })));
    },
  };
}

/**
 * Returns the id of the company's API key at API Gateway. Creates the key, or finds the key that an earlier attempt
 * created.
 */
async function usageKeyId(client: APIGatewayClient, member: UsagePlanMember): Promise<string> {
  const [name, value] = [usagePlanKeyName(member), usagePlanKeyValue(member)];
  const created = await client
    .send(new CreateApiKeyCommand({ name, value, enabled: true }))
    .catch(unless(ConflictException));
  return required(created?.id ?? (await findKeyId(client, member)));
}

/** Finds the id of the company's API key at API Gateway; `undefined` if the company has none. */
async function findKeyId(client: APIGatewayClient, member: UsagePlanMember): Promise<string | undefined> {
  const name = usagePlanKeyName(member);
  const { items = [] } = await client.send(new GetApiKeysCommand({ nameQuery: name, limit: 500 }));
  return items.find((key) => key.name === name)?.id;
}

/** Makes an error handler that ignores one kind of error. */
function unless(kind: typeof ConflictException): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof kind)) throw error;
  };
}

function required(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new CliError('API Gateway has no key of the company any more, or no plan: run the command again');
}
