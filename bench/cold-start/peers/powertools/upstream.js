import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import { ApiGatewayEnvelope } from '@aws-lambda-powertools/parser/envelopes/api-gateway';
import { JSONStringified } from '@aws-lambda-powertools/parser/helpers';
import { Project } from '../project.js';
import { createUpstream } from '../upstream.js';

export async function handler(event) {
  const body = ApiGatewayEnvelope.parse(event, JSONStringified(Project));
  const account = await getSecret(process.env.SEGUE_UPSTREAM_SECRET, { transform: 'json' });
  const project = await createUpstream(body, account);
  return { statusCode: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(project) };
}
