import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { Project } from '../project.js';
import { createInTable } from '../table.js';

export const handler = middy()
  .use(httpErrorHandler())
  .use(httpJsonBodyParser())
  .handler(async (event) => {
    const project = await createInTable(Project.parse(event.body));
    return { statusCode: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(project) };
  });
