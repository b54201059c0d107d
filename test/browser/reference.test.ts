import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { lighthouse } from './lighthouse.ts';
import { isTooWide, SCREENS, type Screen, seriousFindings, startWorld } from './world.ts';

const world = await startWorld();
const { gateway } = world;

/** Opens the reference, and waits for the viewer. */
async function openReference(hash = '', screen?: Screen) {
  const visit = await world.open(`/docs${hash}`, screen);
  await visit.page.locator('#reference h1').waitFor();
  return visit;
}

it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
  const { page, foreign, errors, picture } = await openReference('', screen);
  await picture('docs');
  expect(await isTooWide(page)).toBe(false);
  expect(await seriousFindings(page)).toEqual([]);
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

// Chromium left texts in the colour of a theme before, most often with the viewer in its cache.
it('has no texts in the colour of the other theme', async () => {
  const { page } = await openReference('', { width: 1280, theme: 'dark' });
  await page.reload();
  await page.locator('#reference h1').waitFor();
  await page.waitForLoadState('networkidle');
  const colors = await page.evaluate(() =>
    Array.from(
      document.querySelectorAll('body, .introduction-description p'),
      (element) => getComputedStyle(element).color,
    ),
  );
  expect(colors.length).toBeGreaterThan(1);
  expect(new Set(colors).size).toBe(1);
});

it('passes the rules of Lighthouse', async () => {
  const { accessibility, bestPractices, failed } = await lighthouse(`${gateway.url}/docs`);
  expect(Math.min(accessibility, bestPractices), failed.join()).toBeGreaterThan(95);
});

describe('the request that creates a project', () => {
  /** Sends the request of the example. @returns the status of the answer */
  async function create(page: Page) {
    const operation = page.locator('section[id$="createProject"]');
    await operation.getByRole('button', { name: /Test Request/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').first().fill(gateway.companyId);
    await dialog.getByPlaceholder('********').fill(gateway.apiKey);
    const [answer] = await Promise.all([
      page.waitForResponse(/\/segments\/projects/),
      page.locator('[data-addressbar-action=send]:visible').click(),
    ]);
    return answer;
  }

  it('creates the project of the example, without optional headers, also if the page was opened long ago', async () => {
    const { page, picture } = await openReference('#tag/projects/createProject');
    const old = await fetch(`${gateway.url}/openapi.json`).then((answer) => answer.text());
    await page.route('**/openapi.json', (route) =>
      route.fulfill({ body: old.replaceAll(/"startDateUtc":"[^"]*"/g, '"startDateUtc":"2026-11-20T09:37:30Z"') }),
    );
    for (const customId of ['first', 'second']) {
      const answer = await create(page);
      expect([customId, answer.status()]).toEqual([customId, 201]);
      const sent = await answer.request().allHeaders();
      expect([sent['idempotency-key'], sent['prefer']]).toEqual([undefined, undefined]);
      const { id } = await answer.json();
      const path = `${gateway.url}/segments/projects/${id}`;
      await fetch(path, { method: 'DELETE', headers: { Authorization: gateway.authorization } });
      await picture('created');
      await page.reload();
      await page.locator('#reference h1').waitFor();
    }
  });

  it('shows 201 first, and no button or outline on a text', async () => {
    const { page, picture } = await openReference('#tag/projects/createProject');
    const operation = page.locator('section[id$="createProject"]');
    const card = operation.locator('.response-card');
    expect(await card.locator('[role=tab][aria-selected=true]').innerText()).toMatch(/201$/);
    expect(await operation.evaluate((section) => getComputedStyle(section).outlineOffset)).toBe('12px');
    await operation.locator('.code-snippet').hover();
    await picture('copy');
    for (const [button, text] of [
      ['.code-snippet .scalar-code-copy', '.code-snippet code'],
      ['.response-card .code-copy', '.response-card [role=tablist]'],
    ] as const) {
      const [one, other] = await Promise.all(
        [button, text].map((each) => operation.locator(each).first().boundingBox()),
      );
      if (!one || !other) throw new Error(`The page has no ${button} beside ${text}`);
      const isBeside = one.y + one.height <= other.y + 10 || one.x >= other.x + other.width;
      expect([button, isBeside]).toEqual([button, true]);
    }
  });
});

describe('a request from the reference, with the keyboard alone', () => {
  /** Fills in the credentials, and sends a request. @returns its answer */
  async function sendRequest(page: Page, apiKey: string) {
    await page.getByRole('combobox', { name: 'Username' }).focus();
    await page.keyboard.type(gateway.companyId);
    await page.getByPlaceholder('********').first().focus();
    await page.keyboard.type(apiKey);
    await page
      .locator('[id$="listProjects"]')
      .getByRole('button', { name: /Test Request/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-addressbar-action=send]:visible').focus();
    const [answer] = await Promise.all([page.waitForResponse(/\/segments\/projects/), page.keyboard.press('Enter')]);
    return answer;
  }

  it.each(SCREENS)('has the credentials, and shows the answer, at $width pixels in $theme', async (screen) => {
    const { page, foreign, errors, picture } = await openReference('#tag/projects/listProjects', screen);
    await page.getByRole('heading', { name: 'List projects' }).waitFor();
    await picture('operation');
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    const answer = await sendRequest(page, gateway.apiKey);
    expect([answer.status(), answer.url()]).toEqual([200, `${gateway.url}/segments/projects`]);
    expect(await answer.request().headerValue('authorization')).toBe(gateway.authorization);
    await page.getByText('200 OK').waitFor();
    await picture('tried');
    expect(await seriousFindings(page)).toEqual([]);
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  it('leaves no credentials in the browser', async () => {
    const { page } = await openReference('#tag/projects/listProjects');
    await sendRequest(page, gateway.apiKey);
    await page.reload();
    await page.locator('#reference h1').waitFor();
    expect(await page.getByPlaceholder('********').first().inputValue()).toBe('');
    const stored = await page.context().storageState({ indexedDB: true });
    expect(JSON.stringify(stored)).not.toContain(gateway.apiKey);
  });

  it('shows 401 for a wrong key, without a dialog of the browser', async () => {
    const { page, foreign } = await openReference('#tag/projects/listProjects');
    expect((await sendRequest(page, 'wrong')).status()).toBe(401);
    await page.getByText('401 Unauthorized').waitFor();
    expect(foreign).toEqual([]);
  });
});

it('has samples for curl, JavaScript and Python', async () => {
  const { page, picture } = await openReference('#tag/projects/createProject');
  const operation = page.locator('section[id$="createProject"]');
  for (const [client, start] of [
    ['Fetch', 'fetch('],
    ['Requests', 'requests.post('],
    ['Curl', 'curl'],
  ] as const) {
    await operation.getByTestId('client-picker').click();
    const clients = page.getByRole('option');
    await clients.first().waitFor();
    expect((await clients.allInnerTexts()).sort()).toEqual(['Curl', 'Fetch', 'Requests']);
    await clients.getByText(client).click();
    await operation.locator('code', { hasText: start }).first().waitFor();
    await picture(`sample-${client}`);
  }
});

it('finds an operation, and goes to it, with the keyboard alone', async () => {
  const { page, foreign, errors } = await openReference();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Enter search query' }).waitFor();
  await page.keyboard.type('plan a deletion');
  await page
    .getByRole('option', { name: /Plan a deletion/ })
    .first()
    .waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#tag\/projects\/planDeletion/);
  await page.getByRole('heading', { name: 'Plan a deletion', exact: true }).waitFor();
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('opens the menu of operations on a phone', async () => {
  const { page, picture } = await openReference('', { width: 390, theme: 'light' });
  await page.getByRole('button', { name: /menu/i }).first().click();
  await page.getByRole('link', { name: 'Projects', exact: true }).first().waitFor();
  await picture('menu');
});
