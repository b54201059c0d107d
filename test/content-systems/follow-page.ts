import { expect, onTestFinished, vi } from 'vitest';
import { randomFrom } from '../../packages/simulator/random.ts';
import { ask } from '../faults/asking.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { connectAsDocumented } from './connect.ts';
import { SYSTEMS, type SystemName, type Texts } from './systems.ts';

interface PageOptions {
  /** The settings of Segue. */
  readonly env?: Readonly<Record<string, string>>;
  /** The target languages that the engine knows; all of the recipe unless given. */
  readonly languages?: readonly string[];
  /** The texts of the first publication. */
  readonly first: Texts;
  /** The texts of the second one, of which only the body differs. */
  readonly second: Texts;
  /** Returns what the engine makes of a text, or a matcher for it. */
  readonly translationOf: (text: string) => unknown;
}

const PAGE = 'hours';

/**
 * Follows a page of a content system that is connected to a real gateway: published, published again with another body,
 * and unpublished. Each time the translations must come back, of the second publication only those of the body.
 */
export async function followPage(
  name: SystemName,
  { env = {}, languages, first, second, translationOf }: PageOptions,
): Promise<void> {
  const gateway = await startGateway({ env, args: ['--allow-loopback-events'] });
  onTestFinished(async () => void (await gateway.stop()));
  const system = await SYSTEMS[name]({ random: randomFrom(1) });
  await connectAsDocumented(system, gateway);

  /** Publishes the page, and waits for its translations. @returns the bodies of the requests that wrote them */
  async function publish(texts: Texts): Promise<string[]> {
    const before = system.received.length;
    system.publish(PAGE, texts);
    const expected = Object.fromEntries(
      await Promise.all(Object.entries(texts).map(async ([field, text]) => [field, await translationOf(text)])),
    );
    await vi.waitFor(() => {
      for (const language of languages ?? system.languages) expect(system.texts(PAGE, language)).toEqual(expected);
    }, EVENTUALLY);
    return system.received.slice(before).flatMap(({ method, body }) => (method === 'GET' ? [] : [body]));
  }

  const path = `/segments/projects/custom/${encodeURIComponent(system.customIdOf(PAGE))}`;
  const isStatus = async (status: number) => expect((await ask(gateway, { method: 'GET', path })).status).toBe(status);

  for (const written of await publish(first)) expect(written).toMatch(/\bbody\b.*\btitle\b|\btitle\b.*\bbody\b/);
  const again = await publish(second);
  expect(again).not.toEqual([]);
  for (const written of again) expect(written).not.toMatch(/\btitle\b/);
  await isStatus(200);
  system.unpublish(PAGE);
  await vi.waitFor(() => isStatus(404), EVENTUALLY);
}
