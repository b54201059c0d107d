import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { functionsOf, SERVICES, type ServiceName } from '../../../infra/functions/catalogue.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { CONTEXTS, type Context } from '../../../scripts/contexts.ts';
import { senderOf } from '../../support/senders.ts';
import { synth } from '../../support/synth.ts';
import { allowedBy, constructOf, propertiesOf } from '../template.ts';
import { PROJECTS_FROM } from './actions.ts';
import { serveAws } from './aws.ts';
import { serveBehind } from './behind.ts';
import { deployed } from './deployed.ts';
import { SOURCE } from './webhooks.ts';
import { work } from './work.ts';

/** What Lambda itself does in the name of a function: it writes its log, reads a stream for it, and keeps what failed. */
const OF_LAMBDA = /^logs:|^dynamodb:(?:DescribeStream|GetRecords|GetShardIterator|ListStreams) |^sqs:SendMessage /;

/** It is soon settled that what was sent and is not there was not done. */
const ALSO: Record<ServiceName, Context> = { hosted: {}, upstream: { settleSeconds: '3' } };
const BOTH: Context = { projectsFrom: PROJECTS_FROM };

const folder = mkdtempSync(join(tmpdir(), 'segue-rights-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(SERVICES)('%s', async (service) => {
  const outdir = join(folder, service);
  const template = Template.fromString(
    (await synth({ ...CONTEXTS[service], ...BOTH, ...ALSO[service] }, outdir)).template,
  );
  const account = { companyId: 'ours', apiKey: createApiKey().apiKey };
  await using behind = await serveBehind(account);
  await using aws = await serveAws({
    StoresSigningSecret: { id: 'initial', secret: 'not-a-real-secret-but-just-as-long' },
    StoresUpstreamSecret: account,
    [`segue/Segue/webhooks/${SOURCE.secretsAt}`]: [senderOf('github').secret],
  });
  const functions = deployed({
    template,
    folder: join(outdir, 'bundles', service),
    aws,
    environment: { SEGUE_UPSTREAM_URL: behind.url },
  });
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await work({ functions, aws, behind, service }).finally(() => lines.mockRestore());
  const roles = propertiesOf(template, 'AWS::IAM::Role');

  it.each(functionsOf(service))('$name may do what it does, and nothing else', ({ name }) => {
    const allowed = allowedBy(roles.get(`${constructOf(name)}Role`)).filter((line) => !OF_LAMBDA.test(line));
    expect([...(functions.asked.get(name) ?? [])].sort()).toEqual(allowed);
  });
});
