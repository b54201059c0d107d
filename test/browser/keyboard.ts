import type { Page } from 'playwright-core';
import type { Screen, Visit, World } from './world.ts';

/** Opens the console, and signs in with the keyboard alone. */
export async function signIn(world: World, screen?: Screen): Promise<Visit> {
  const { gateway } = world;
  const visit = await world.open('/console', screen);
  const { page } = visit;
  await type(page, 'Company id', gateway.companyId);
  await type(page, 'API key', gateway.apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  return visit;
}

/** Types into the field with a label. */
export async function type(page: Page, label: string, value: string): Promise<void> {
  await page.getByLabel(label).focus();
  await page.keyboard.type(value);
}

/** The parts of the header that a button opens. */
const HIDING = [
  ['#menu', '.menu-button', 'Menu'],
  ['#account', '.account-button', 'Account of'],
] as const;

/** Uses the first button or link with a name. On a phone, the links of the header are in a menu, which it opens first. */
export async function press(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  for (const [part, opener, openerName] of HIDING) {
    const isHidden = role === 'link' && (await page.locator(`${part} a:not(:visible)`, { hasText: name }).count()) > 0;
    // A narrow screen has the first button, and a wide one the second.
    if (isHidden && (await page.locator(opener).isVisible())) await press(page, 'button', openerName);
  }
  await page.getByRole(role, { name }).first().press('Enter');
}
