import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import * as z from 'zod';

// A peer of Segue: Fastify, pino, zod and SQLite, used as in their documentation. A create is one insert, a read is one
// select, and a delete is one delete. The argument is a folder for the database and the log. The program prints its
// port.

const [folder = ''] = process.argv.slice(2);

const Project = z.strictObject({
  name: z.string().max(1_000),
  startDateUtc: z.iso.datetime(),
  endDateUtc: z.iso.datetime(),
  sourceLanguageId: z.int().positive().optional(),
  sourceLanguageCode: z.string().max(1_000).optional(),
  targetLanguages: z
    .array(
      z.strictObject({
        targetLanguageId: z.int().positive().optional(),
        targetLanguageCode: z.string().max(1_000).optional(),
        team: z
          .array(
            z.strictObject({
              id: z.int().positive(),
              name: z.string().max(1_000),
              username: z.email(),
              isTranslator: z.boolean().optional(),
            }),
          )
          .max(50)
          .optional(),
      }),
    )
    .min(1)
    .max(150),
  segments: z
    .array(
      z.strictObject({
        content: z.string().min(1).max(1_048_576),
        languageSpecificNotes: z
          .array(
            z.strictObject({
              languageId: z.int().positive().optional(),
              languageCode: z.string().max(1_000).optional(),
              note: z.string().max(10_000).optional(),
            }),
          )
          .max(200)
          .optional(),
      }),
    )
    .min(1)
    .max(50_000),
});

const database = new DatabaseSync(join(folder, 'fastify.db'));
// The database is as durable as Segue's store.
database.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec('CREATE TABLE projects (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO projects (data) VALUES (?)');
const select = database.prepare('SELECT data FROM projects WHERE id = ?');
const remove = database.prepare('DELETE FROM projects WHERE id = ?');

const server = fastify({ keepAliveTimeout: 60_000, logger: { file: join(folder, 'fastify.log') } });

server.post('/segments/projects', (request, reply) => {
  const parsed = Project.safeParse(request.body);
  if (!parsed.success) return reply.code(400).send({ errors: parsed.error.issues });
  const { lastInsertRowid } = insert.run(JSON.stringify(parsed.data));
  const id = Number(lastInsertRowid);
  return reply
    .code(201)
    .header('Location', `/segments/projects/${id}`)
    .send({ id, ...parsed.data });
});

server.get('/segments/projects/:id', (request, reply) => {
  const id = Number(request.params.id);
  const row = select.get(id);
  return row ? reply.send({ id, ...JSON.parse(row.data) }) : reply.code(404).send({ errors: [] });
});

server.delete('/segments/projects/:id', (request, reply) => {
  const { changes } = remove.run(Number(request.params.id));
  return changes > 0 ? reply.code(204).send() : reply.code(404).send({ errors: [] });
});

await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${server.server.address().port}\n`);
process.once('SIGTERM', async () => {
  await server.close();
  database.close();
});
