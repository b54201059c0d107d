import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const timer = (url: string) => `
  const began = performance.now();
  await import(${JSON.stringify(url)});
  // exits at once, because a kept-alive connection would keep the process alive
  process.stdout.write(String(performance.now() - began), () => process.exit());
`;

/**
 * Imports a module in a new Node process, and returns how many milliseconds the import took. The time includes what the
 * module awaits at its top level.
 * @throws an error with the output of the process if the module cannot be imported
 */
export async function importTimeMs(file: string, env: Readonly<Record<string, string>>): Promise<number> {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval'];
  const { stdout } = await run(process.execPath, [...flags, timer(pathToFileURL(file).href)], { env });
  const ms = Number(stdout);
  if (!(ms > 0)) throw new Error(`The import of ${file} printed something unexpected: ${stdout.slice(0, 500)}`);
  return ms;
}
