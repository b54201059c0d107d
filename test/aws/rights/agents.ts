import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { answerAgentRoute, getProtectedResourceRoute } from '../../../lib/contract/agents.ts';
import { eventAt, readAnswer } from '../../lib/http/fixture.ts';
import { type JsonObject, smallProject } from '../../support/projects.ts';
import { Answer, type Doors } from './stack.ts';

const Result = z.object({
  result: z.object({ isError: z.optional(z.boolean()), content: z.array(z.object({ text: z.string() })) }),
});
const Created = z.object({ id: z.int() });
const Plan = z.object({ plan: z.string() });
const CUSTOM_ID = 'of an agent';

/** Lets an agent do what each operation does: small and large payloads, first and repeated calls, projects and tasks. */
export async function agents({ functions, principal, service }: Doors): Promise<void> {
  const authorizer = { ...principal, keyVersion: '1' };

  /** Calls a tool, and returns its first text. */
  async function call(name: string, args: JsonObject, expected: 'done' | 'refused' = 'done'): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
    const answer = Answer.parse(await functions.call('agents', eventAt(answerAgentRoute, { authorizer, body })));
    const { isError = false, content } = Result.parse(readAnswer(answer).json).result;
    const text = content[0]?.text ?? '';
    if (isError !== (expected === 'refused')) throw new Error(`${name} was not ${expected}: ${text}`);
    return text;
  }

  await functions.call('agents', eventAt(getProtectedResourceRoute, { authorizer: null }));
  const at = { customId: CUSTOM_ID };
  const segments = ['a', 'b', 'c'].map((taskId) => ({ taskId, customId: taskId, content: taskId }));
  const small = smallProject({ ...at, segments });
  const large = smallProject({ segments: [{ content: randomBytes(400_000).toString('base64'), taskId: 'a' }] });
  for (const _ of ['first', 'repeated']) await call('createProject', { project: small, idempotencyKey: 'agent-1' });
  const { id } = Created.parse(JSON.parse(await call('createProject', { project: large, idempotencyKey: 'agent-2' })));
  await call('getProject', { id });
  await call('createProject', { project: small, validateOnly: true }, 'refused');
  await call('createProject', { project: { ...large, targetLanguages: [AUTOMATIC] }, validateOnly: true });
  for (const _ of ['first', 'repeated']) await call('putProject', { ...at, project: small, idempotencyKey: 'agent-3' });
  await call('putProject', { ...at, project: small, revision: 2, idempotencyKey: 'agent-4' });
  await call('putProject', { ...at, project: small, revision: 1, idempotencyKey: 'agent-5' });
  for (const name of ['getProject', 'getSegments', 'getProgress']) await call(name, at);
  for (const name of ['listProjects', 'getDailyLimits', 'listLanguages']) await call(name, {});
  const writes = service === 'hosted' ? 'done' : 'refused';
  for (const content of ['x', randomBytes(400_000).toString('base64')]) {
    const translations = [{ segmentCustomId: 'a', languageCode: 'de-DE', content, status: 'draft' }];
    await call('writeTranslations', { ...at, translations }, writes);
  }
  await call('changeLanguage', { ...at, languageCode: 'de-DE', change: { state: 'InProgress' } }, writes);
  for (const args of [{ ...at, taskId: 'b' }, at]) {
    const { plan } = Plan.parse(JSON.parse(await call('planDeletion', args)));
    await call('deleteProject', { ...args, plan, idempotencyKey: JSON.stringify(args).replaceAll(/\W/g, '') });
  }
  await call('getProject', at, 'refused');
}

const AUTOMATIC = { targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true };
