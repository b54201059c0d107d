import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { checkProject } from '../../lib/contract/check.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { projectFrom } from '../../lib/service/project-from.ts';
import { type Listening, listen } from './listen.ts';

const SECRET = { companyId: 'acme', apiKey: 'not-a-real-key' };

/**
 * What a create asks for, on a free port of this machine: the secret in Secrets Manager, a DynamoDB table that is empty
 * and takes every transaction, and a service that makes the project it is sent.
 */
export function openSurroundings(): Promise<Listening> {
  const answers = async (target: unknown, body: string): Promise<unknown> => {
    switch (target) {
      case 'secretsmanager.GetSecretValue':
        return { Name: 'upstream', SecretString: JSON.stringify(SECRET) };
      case 'DynamoDB_20120810.GetItem':
      case 'DynamoDB_20120810.TransactWriteItems':
        return {};
      case undefined:
        return made(body);
      default:
        throw new Error(`A create asked for ${target}`);
    }
  };
  return listen(
    createServer(async (request, response) => {
      const target = request.headers['x-amz-target'];
      const answer = JSON.stringify(await answers(target, await text(request)));
      const [status, type] = target === undefined ? [201, 'application/json'] : [200, 'application/x-amz-json-1.0'];
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(answer) }).end(answer);
    }),
  );
}

function made(body: string): unknown {
  const nowMs = Date.now();
  const project = checkProject(JSON.parse(body), { nowMs, toleranceMs: LIMITS.startDateToleranceMs });
  return projectFrom(project, 1, nowMs);
}
