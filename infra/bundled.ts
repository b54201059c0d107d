import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { FunctionName, ServiceName } from './functions/catalogue.ts';

/** The folders that are filled by now, in the assemblies of this process. */
const filled = new Set<string>();

/**
 * The folder of each function's bundle, in the assembly that a construct belongs to. Constructs are made at once and
 * esbuild's plugins only work in their own time: another process bundles, and this one waits.
 */
export function bundledFor(scope: Construct, service: ServiceName): (name: FunctionName) => string {
  const folder = resolve(Stage.of(scope)?.outdir ?? '.', 'bundles', service);
  if (!filled.has(folder)) {
    const program = join(import.meta.dirname, 'bundle-all.ts');
    const args = ['--disable-warning=ExperimentalWarning', program, service, folder];
    execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    filled.add(folder);
  }
  return (name) => join(folder, name);
}
