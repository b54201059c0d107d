import { ApiGatewayEnvelope } from '@aws-lambda-powertools/parser/envelopes/api-gateway';
import { JSONStringified } from '@aws-lambda-powertools/parser/helpers';
import { Project } from '../project.js';
import { createInTable } from '../table.js';

export async function handler(event) {
  const project = await createInTable(ApiGatewayEnvelope.parse(event, JSONStringified(Project)));
  return { statusCode: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(project) };
}
