import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { Project } from '../project.js';
import { createInTable } from '../table.js';

const app = new Hono();
app.post('/segments/projects', async (c) => c.json(await createInTable(Project.parse(await c.req.json())), 201));

export const handler = handle(app);
