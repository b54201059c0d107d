import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type FunctionEntry, functionsOf } from '../../../infra/functions/catalogue.ts';
import { FUNCTION_OPTIONS, SERVICES, type ServiceName } from '../../../infra/functions/function-spec.ts';
import { CANARY_UNSET } from '../../../lib/contract/canary.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import type { Context } from '../../../tools/contexts.ts';
import { synthesise } from '../../infra/synthesise.ts';
import { allowedBy, constructOf, propertiesOf } from '../../infra/template.ts';
import { senderOf } from '../../support/senders.ts';
import { PROJECTS_FROM } from './permissions.ts';
import { bundle, deployed, serveStack, serveUpstream } from './stack.ts';
import { DESTINATION, FETCH, SOURCE, work } from './work.ts';

/** Options of each service. A short settle time makes unknown outcomes final soon. */
const OPTIONS: Record<ServiceName, Context> = {
  hosted: {
    projectsFrom: PROJECTS_FROM,
    mailFrom: 'segue@example.com',
    mailDomains: 'example.com',
    destinations: 'true',
    console: 'true',
    agents: 'true',
    canary: 'reads',
    waits: 'true',
  },
  upstream: {
    projectsFrom: PROJECTS_FROM,
    settleSeconds: '1',
    console: 'true',
    agents: 'true',
    canary: 'reads',
    waits: 'true',
  },
};

/** Returns the permissions that Lambda uses with a function's role: for its log, its stream or queue, and its dead letters. */
function usedByLambda({ log, stream, queue }: FunctionEntry): string[] {
  const table = stream?.table === 'deliveriesTable' ? 'StoresDeliveries' : 'StoresTable';
  const read = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  const fromQueue = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  return [
    `logs:CreateLogStream on ${log}Log`,
    `logs:PutLogEvents on ${log}Log`,
    ...(queue ? fromQueue.map((action) => `sqs:${action} on StoresJobs`) : []),
    ...(stream ? ['sqs:SendMessage on DeadLetters'] : []),
    ...(stream ? ['dynamodb:ListStreams on *'] : []),
    ...(stream ? read.map((action) => `dynamodb:${action} on ${table}.StreamArn`) : []),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'segue-rights-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(SERVICES)('%s', async (service) => {
  // Below `node_modules`, Vitest imports the bundles unchanged. Transforming them takes longer than calling them.
  const outdir = join(folder, 'node_modules', service);
  await bundle(service, outdir);
  const template = await synthesise(service, OPTIONS[service]);
  const account = { companyId: 'ours', apiKey: createApiKey().apiKey };
  await using upstream = await serveUpstream(account);
  await using aws = await serveStack({
    StoresSigningSecret: { id: 'initial', secret: 'not-a-real-secret-but-just-as-long' },
    StoresUpstreamSecret: account,
    StoresCanarySecret: { companyId: CANARY_UNSET, apiKey: 'not-a-key' },
    [`segue/Segue/webhooks/${SOURCE.secretsAt}`]: [senderOf('github').secret],
    [`segue/Segue/fetches/${FETCH.secretsAt}`]: ['Bearer not-a-real-secret'],
    [`segue/Segue/destinations/${DESTINATION.secretsAt}`]: ['Bearer not-a-real-secret'],
  });
  const functions = deployed({
    template,
    folder: outdir,
    aws,
    environment: { SEGUE_UPSTREAM_URL: upstream.url },
  });
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await work({ functions, aws, upstream, service }).finally(() => {
    lines.mockRestore();
    vi.unstubAllEnvs();
  });
  const roles = propertiesOf(template, 'AWS::IAM::Role');

  it.each(functionsOf(service, FUNCTION_OPTIONS))(
    'allows $name the permissions that it uses, and no other',
    (entry) => {
      const used = [...(functions.needed.get(entry.name) ?? []), ...usedByLambda(entry)];
      expect(allowedBy(roles.get(`${constructOf(entry.name)}Role`))).toEqual(used.sort());
    },
  );
});
