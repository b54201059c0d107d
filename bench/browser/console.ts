import { type Page, startBrowser } from '../../test/browser/chromium.ts';
import { type StartedGateway, startGateway } from '../../test/support/gateway.ts';
import { type JsonObject, realProject, startingNow } from '../../test/support/projects.ts';
import { interleave } from '../support/statistics.ts';
import { markdownTable } from '../support/table.ts';

const ROUNDS = { rounds: 9, warmUp: 2 };
const VIEWPORT = { width: 1280, height: 800 };
/** After this time, a page that shows no row has another structure than this benchmark expects. */
const LONGEST_MS = 20_000;
/** How far a step of scrolling goes, in CSS pixels, and how many steps one measurement has. */
const SCROLL = { px: 600, steps: 60 };

/**
 * Measures the console with `cldr-large` in Chromium, and returns a Markdown table.
 * - **open**: from the address of the project's texts to their first row.
 * - **frame**: the longest time between two frames while the list scrolls.
 *
 * The floors run in the same browser: the requests that the page needs for its first row, and the frames of a page that
 * scrolls plain text.
 */
export async function consoleTable(): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const gateway = await startGateway({ env: { SEGUE_TRANSLATION_ENGINE: 'none' } });
  stack.defer(async () => void (await gateway.stop()));
  const { url, companyId, apiKey, authorization } = gateway;
  const project = { ...startingNow(realProject('cldr-large')), targetLanguages: [{ targetLanguageCode: 'de' }] };
  const path = await create(gateway, project);
  const browser = await startBrowser();
  stack.defer(() => browser.close());
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto(`${url}/console`);
  await page.getByLabel('Company id').fill(companyId);
  await page.getByLabel('API key').fill(apiKey);
  await page.keyboard.press('Enter');
  const texts = `#${path.replace('/segments', '')}?view=texts`;

  async function open(): Promise<number> {
    await page.getByRole('navigation').getByRole('link', { name: 'Projects' }).click();
    await page.locator('.cards a').first().waitFor();
    return page.evaluate(
      async ([fragment, longestMs]) => {
        const began = performance.now();
        location.hash = fragment;
        while (!document.querySelector('.list li')) {
          await new Promise(requestAnimationFrame);
          if (performance.now() - began > longestMs) throw new Error('The page shows no row of a segment.');
        }
        return performance.now() - began;
      },
      [texts, LONGEST_MS] as const,
    );
  }

  const paths = [path, `${path}/progress`, `${path}/segments?limit=1000`];
  async function requests(): Promise<number> {
    return page.evaluate(
      async ([{ urls, headers }]) => {
        const began = performance.now();
        const [first = '', second = '', third = ''] = urls;
        const get = async (path: string) => (await fetch(path, { headers })).json();
        await Promise.all([get(first), get(second)]);
        await get(third);
        return performance.now() - began;
      },
      [{ urls: paths.map((each) => url + each), headers: { Authorization: authorization } }] as const,
    );
  }

  const openMs = await interleave([open, requests], ROUNDS);
  await page.getByText(/^[\d,]+ segments$/).waitFor();
  const scrollList = () => longestFrame(page);
  const plain = await browser.newPage({ viewport: VIEWPORT });
  await plain.setContent(`<pre>${'A line of text.\n'.repeat(20_000)}</pre>`);
  const scrollPlain = () => longestFrame(plain);
  const frameMs = await interleave([scrollList, scrollPlain], ROUNDS);
  return markdownTable(
    ['cldr-large in the console', 'floor', 'console', 'ratio'],
    [
      ['open: until the first row', ...columns(openMs(requests), openMs(open))],
      ['scroll: the longest frame', ...columns(frameMs(scrollPlain), frameMs(scrollList))],
    ],
  );
}

/** Creates a project. @returns its path */
async function create({ url, authorization }: StartedGateway, project: JsonObject): Promise<string> {
  const response = await fetch(`${url}/segments/projects`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify(project),
  });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`The project was not created: ${response.status}`);
  return new URL(location, url).pathname;
}

function columns(floor: number, segue: number): string[] {
  return [`${floor.toFixed(0)} ms`, `${segue.toFixed(0)} ms`, (segue / floor).toFixed(2)];
}

/** Scrolls a page step by step, and returns the longest time between two frames, in milliseconds. */
async function longestFrame(page: Page): Promise<number> {
  await page.bringToFront();
  return page.evaluate(async ({ px, steps }) => {
    scrollTo(0, 0);
    const times: number[] = [];
    for (let step = 0; step <= steps; step++) {
      times.push(await new Promise<number>(requestAnimationFrame));
      scrollBy(0, px);
    }
    return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  }, SCROLL);
}
