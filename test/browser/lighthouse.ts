import { once } from 'node:events';
import { createServer } from 'node:net';
import runLighthouse from 'lighthouse';
import { startBrowser } from './chromium.ts';

/** The scores of Lighthouse for a page, from 0 to 100, and the titles of its failed audits. */
export interface Scores {
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly failed: readonly string[];
}

/** Runs the rules of Lighthouse for accessibility and best practice on a page, in a browser of their own. */
export async function lighthouse(url: string): Promise<Scores> {
  const port = await freePort();
  const browser = await startBrowser([`--remote-debugging-port=${port}`]);
  try {
    const onlyCategories = ['accessibility', 'best-practices'];
    const result = await runLighthouse(url, { port, onlyCategories, logLevel: 'error' });
    if (!result) throw new Error(`Lighthouse has no result for ${url}`);
    const { categories, audits } = result.lhr;
    const score = (id: string) => Math.round((categories[id]?.score ?? 0) * 100);
    return {
      accessibility: score('accessibility'),
      bestPractices: score('best-practices'),
      failed: Object.values(audits).flatMap(({ score, title }) => (score === 0 ? [title] : [])),
    };
  } finally {
    await browser.close();
  }
}

/** Returns a port that nobody uses, because Chromium does not report the port that it chooses by itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port');
  server.close();
  await once(server, 'close');
  return address.port;
}
