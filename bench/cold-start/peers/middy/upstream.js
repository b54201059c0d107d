import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import secretsManager from '@middy/secrets-manager';
import { Project } from '../project.js';
import { createUpstream } from '../upstream.js';

export const handler = middy()
  .use(httpErrorHandler())
  .use(secretsManager({ fetchData: { account: process.env.SEGUE_UPSTREAM_SECRET }, setToContext: true }))
  .use(httpJsonBodyParser())
  .handler(async (event, context) => {
    const project = await createUpstream(Project.parse(event.body), context.account);
    return { statusCode: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(project) };
  });
