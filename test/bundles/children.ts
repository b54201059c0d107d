import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

/** What a process tells after loading a module. */
const Loaded = z.strictObject({ exports: z.array(z.string()), undici: z.array(z.string()) });
export type Loaded = z.infer<typeof Loaded>;

// leaves at once: a kept-alive connection would hold the process
const REPORT = `
  const undici = () => process.moduleLoadList.filter((name) => name.includes('undici'));
  const tell = (exports) => process.stdout.write(JSON.stringify({ exports, undici: undici() }), () => process.exit());
`;

/** Imports a module in a Node of its own, as Lambda does. */
export async function load(file: string, environment: Readonly<Record<string, string>>): Promise<Loaded> {
  const script = `${REPORT} import(${JSON.stringify(pathToFileURL(file))}).then((module) => tell(Object.keys(module)));`;
  return run(script, environment);
}

/** Runs code that loads undici for certain, to see that it would be noticed. */
export function loadUndici(): Promise<Loaded> {
  return run(`${REPORT} new Headers(); tell([]);`, {});
}

async function run(script: string, env: Readonly<Record<string, string>>): Promise<Loaded> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', script], { env });
  return Loaded.parse(JSON.parse(stdout));
}
