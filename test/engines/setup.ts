import { startApertium } from '../../tools/emulators/apertium.ts';

/** Starts Apertium, a real engine of automatic translation. @returns what stops it */
export default async function setup(): Promise<() => Promise<void>> {
  const apertium = await startApertium();
  process.env['APERTIUM_URL'] = apertium.url;
  return () => apertium.stop();
}
