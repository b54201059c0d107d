import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const timer = (url: string) => `
  const began = performance.now();
  await import(${JSON.stringify(url)});
  // leaves at once: a kept-alive connection would hold the process
  process.stdout.write(String(performance.now() - began), () => process.exit());
`;

/**
 * Imports a module in a Node of its own and lets that process tell how many milliseconds it took, what the module
 * awaits included.
 * @throws with what the process said, where the module cannot be imported
 */
export async function importTimeMs(file: string, env: Readonly<Record<string, string>>): Promise<number> {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval'];
  const { stdout } = await run(process.execPath, [...flags, timer(pathToFileURL(file).href)], { env });
  const ms = Number(stdout);
  if (!(ms > 0)) throw new Error(`${file} printed something of its own: ${stdout.slice(0, 500)}`);
  return ms;
}
