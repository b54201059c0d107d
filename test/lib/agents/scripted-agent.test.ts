import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { WorkWorld } from '../hosted/work/world.ts';
import { callTool, connect, doorTo, type Sender, textsOf } from './world.ts';

/** What a language model can do at the door: it reads the tools and their answers, and nothing else. */
class ScriptedAgent {
  readonly #client: Client;
  /** What the agent says to its user. */
  readonly said: string[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  /** Finds the one tool whose description has some words. */
  async toolFor(words: RegExp) {
    const { tools } = await this.#client.listTools();
    const found = tools.filter(({ description = '' }) => words.test(description));
    expect(found.map(({ name }) => name)).toHaveLength(1);
    const [tool] = found;
    if (!tool) throw new Error('No tool was found');
    return tool;
  }

  async call(name: string, args: Record<string, unknown>) {
    const result = await callTool(this.#client, name, args);
    return { isError: result.isError === true, texts: textsOf(result) };
  }

  /** Creates a project of each file, waits, and collects the translations by file. */
  async translate(files: ReadonlyMap<string, readonly string[]>, language: string, wait: () => Promise<void>) {
    const create = await this.toolFor(/^Creates a project/);
    const ids = new Map<string, unknown>();
    for (const [file, texts] of files) {
      const project = {
        name: file,
        endDateUtc: '2059-01-01T00:00:00Z',
        sourceLanguageCode: 'en-GB',
        targetLanguages: [{ targetLanguageCode: language, serviceAutomaticTranslation: true }],
        segments: texts.map((content) => ({ content })),
      };
      ids.set(file, await this.#create(create.name, project, file));
    }
    const progress = await this.toolFor(/^Returns the progress/);
    for (const id of ids.values()) while (!(await this.#isDone(progress.name, id))) await wait();
    const read = await this.toolFor(/^Returns each segment/);
    const translations = new Map<string, string[]>();
    for (const [file, id] of ids) translations.set(file, await this.#read(read.name, id));
    this.said.push(`Translated ${files.size} files into ${language}.`);
    return { ids, translations };
  }

  /** Creates a project. It forgets the key at first, and adds what the refusal asks for. */
  async #create(tool: string, project: object, file: string): Promise<unknown> {
    const refused = await this.call(tool, { project });
    expect(refused.isError).toBe(true);
    const { errors } = Refusal.parse(JSON.parse(refused.texts[0] ?? ''));
    const missing = errors.map(({ pointer }) => pointer.replace('/arguments/', ''));
    expect(missing).toEqual(['idempotencyKey']);
    const args = { project, ...Object.fromEntries(missing.map((name) => [name, `folder/${file}`])) };
    const created = await this.call(tool, args);
    // A model may repeat a call whose answer its host has lost.
    const repeated = await this.call(tool, args);
    const [first, second] = [created, repeated].map(({ texts }) => Created.parse(JSON.parse(texts[0] ?? '')).id);
    expect(second).toBe(first);
    expect(repeated.texts.join()).toContain('This call changed nothing.');
    return first;
  }

  async #isDone(tool: string, id: unknown): Promise<boolean> {
    const { texts } = await this.call(tool, { id });
    return Progress.parse(JSON.parse(texts[0] ?? '')).languages.every(({ progress }) => progress === 100);
  }

  /** Reads all pages of a project's segments. */
  async #read(tool: string, id: unknown): Promise<string[]> {
    const read: string[] = [];
    for (let args: Record<string, unknown> = { id, limit: 2 }; ; ) {
      const { texts } = await this.call(tool, args);
      const page = Segments.parse(JSON.parse(texts[0] ?? ''));
      read.push(...page.map(({ translations }) => translations[0]?.content ?? ''));
      const [, cursor] = /cursor=(\S+)$/.exec(texts[1] ?? '') ?? [];
      if (cursor === undefined) return read;
      args = { ...args, cursor };
    }
  }
}

const Refusal = z.object({
  type: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() })),
});
const Created = z.object({ id: z.int() });
const Progress = z.object({ languages: z.array(z.object({ progress: z.number() })) });
const Segments = z.array(z.object({ translations: z.array(z.object({ content: z.string() })) }));
const Plan = z.object({ plan: z.string() });

/** An agent at the hosted service, whose worker translates while the agent waits. */
async function arrange(sender: Sender = {}) {
  const world = new WorkWorld();
  const { door } = doorTo(world.service, world);
  const agent = new ScriptedAgent(await connect(door, sender));
  return { agent, wait: () => world.work() };
}

const FILES = new Map([
  ['menu.json', ['Open', 'Save', 'Close', 'Quit', 'Help']],
  ['about.json', ['About us', 'Contact']],
]);

describe('an agent that reads only tools and answers', () => {
  it('translates a folder, and says when it is done', async () => {
    const { agent, wait } = await arrange();
    const { translations } = await agent.translate(FILES, 'de-DE', wait);
    expect(agent.said).toEqual(['Translated 2 files into de-DE.']);
    expect([...translations]).toEqual(
      Array.from(FILES, ([file, texts]) => [
        file,
        texts.map((text) => expect.stringMatching(new RegExp(`: ${text}$`))),
      ]),
    );
  });

  it('deletes nothing without the plan of that project, and gets the way to it', async () => {
    const { agent, wait } = await arrange();
    const { ids } = await agent.translate(FILES, 'de-DE', wait);
    const [id, otherId] = ids.values();
    const remove = await agent.toolFor(/^Deletes the project for good/);
    const list = await agent.toolFor(/^Lists the projects/);
    const names = async () => (await agent.call(list.name, {})).texts[0];
    const before = await names();

    const withoutPlan = await agent.call(remove.name, { id });
    expect(withoutPlan.isError).toBe(true);
    const [missing] = Refusal.parse(JSON.parse(withoutPlan.texts[0] ?? '')).errors;
    expect(missing).toMatchObject({ pointer: '/arguments/plan', code: 'required' });
    // The refusal names the tool that makes plans.
    const [, planner = ''] = /answer of (\w+) about/.exec(missing?.detail ?? '') ?? [];

    const ofOther = Plan.parse(JSON.parse((await agent.call(planner, { id: otherId })).texts[0] ?? ''));
    const withOther = await agent.call(remove.name, { id, plan: ofOther.plan });
    expect(withOther.isError).toBe(true);
    const outdated = Refusal.parse(JSON.parse(withOther.texts[0] ?? ''));
    expect(outdated.type).toMatch(/\/plan-outdated$/);
    expect(outdated.detail).toMatch(/ Call planDeletion about .* unchanged\.$/);
    expect(outdated.errors.map(({ pointer }) => pointer)).toContain('/arguments/plan');
    for (const plan of ['made-up', '7']) {
      const withWrong = await agent.call(remove.name, { id, plan });
      expect(withWrong.isError).toBe(true);
      const { errors } = Refusal.parse(JSON.parse(withWrong.texts[0] ?? ''));
      expect(errors).toMatchObject([{ pointer: '/arguments/plan', detail: expect.stringContaining(planner) }]);
      expect(withWrong.texts.join()).not.toMatch(/If-Match|quotation marks|GET|path|\/headers/);
    }
    expect(await names()).toBe(before);

    const { plan } = Plan.parse(JSON.parse((await agent.call(planner, { id })).texts[0] ?? ''));
    expect(await agent.call(remove.name, { id, plan })).toEqual({ isError: false, texts: ['Done.'] });
    expect(JSON.parse((await names()) ?? '')).toMatchObject([{ id: otherId }]);
  });

  it('corrects a project with 400 faults by an answer of bounded size', async () => {
    const { agent } = await arrange();
    const create = await agent.toolFor(/^Creates a project/);
    const project = {
      name: 'Faulty',
      endDateUtc: '2059-01-01T00:00:00Z',
      sourceLanguageCode: 'en-GB',
      targetLanguages: [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }],
      segments: Array.from({ length: 400 }, (_, n) => ({ content: n % 2 === 0 ? '' : 7 })),
    };
    const { isError, texts } = await agent.call(create.name, { project, validateOnly: true });
    expect(isError).toBe(true);
    const { errors } = Refusal.parse(JSON.parse(texts.join('')));
    expect(errors).toHaveLength(100);
    expect(errors[1]).toMatchObject({ pointer: '/arguments/project/segments/1/content', code: 'wrong-type' });
    expect(texts.join('').length).toBeLessThan(50_000);
    const segments = FILES.get('about.json')?.map((content) => ({ content }));
    const corrected = await agent.call(create.name, { project: { ...project, segments }, validateOnly: true });
    expect(corrected).toMatchObject({ isError: false, texts: [expect.stringContaining('"valid":true')] });
  });

  it('sees no tool that its key may not call, and learns which scope a call lacks', async () => {
    const { agent } = await arrange({ scopes: ['read'] });
    await agent.toolFor(/^Lists the projects/);
    const refused = await agent.call('createProject', { project: {}, validateOnly: true });
    expect(refused.isError).toBe(true);
    expect(JSON.parse(refused.texts[0] ?? '')).toMatchObject({
      type: expect.stringMatching(/\/scope-missing$/),
      detail: expect.stringContaining('the scope create'),
    });
  });
});
