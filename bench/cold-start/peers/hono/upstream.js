import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { Project } from '../project.js';
import { createUpstream } from '../upstream.js';

const secret = new SecretsManagerClient().send(
  new GetSecretValueCommand({ SecretId: process.env.SEGUE_UPSTREAM_SECRET }),
);

const app = new Hono();
app.post('/segments/projects', async (c) => {
  const body = Project.parse(await c.req.json());
  const account = JSON.parse((await secret).SecretString);
  return c.json(await createUpstream(body, account), 201);
});

export const handler = handle(app);
