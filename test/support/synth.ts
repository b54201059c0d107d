import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { childEnvironment } from './child-environment.ts';

const ROOT = join(import.meta.dirname, '../..');
const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });

/** A stack as `cdk synth` leaves it in a folder. */
export interface Assembly {
  /** Its template, as JSON. */
  readonly template: string;
  /** What is to be uploaded for it, as JSON. */
  readonly assets: string;
}

/** Synthesises the stack as `cdk synth` does, in a process of its own. @param context as `-c` says it */
export async function synth(context: Readonly<Record<string, unknown>>, folder: string): Promise<Assembly> {
  const common = CdkJson.parse(JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'))).context;
  const CDK_CONTEXT_JSON = JSON.stringify({ ...common, ...context });
  const env = childEnvironment({ CDK_OUTDIR: folder, CDK_CONTEXT_JSON });
  await promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: ROOT, env });
  const only = (pattern: string) => {
    const [file = '', ...others] = globSync(join(folder, pattern));
    if (others.length > 0) throw new RangeError(`There are several stacks in ${folder}`);
    return readFileSync(file, 'utf8');
  };
  return { template: only('*.template.json'), assets: only('*.assets.json') };
}
