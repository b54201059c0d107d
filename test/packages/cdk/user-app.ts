import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../docs/world.ts';
import { childEnvironment } from '../../support/child-environment.ts';

const run = promisify(execFile);

/** No program of the CDK may send anything, or look for an account. */
const SILENT = { CDK_DISABLE_CLI_TELEMETRY: '1', AWS_EC2_METADATA_DISABLED: 'true' };

/** What a synthesis writes: the templates by name, and the hashes of the assets' files by path. */
export interface Assembly {
  readonly templates: ReadonlyMap<string, unknown>;
  readonly assets: ReadonlyMap<string, string>;
}

/** The folder of a user's CDK app. */
export class UserApp {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Makes an app of CommonJS and TypeScript with `cdk init`, without the packages of its unit tests. */
  static async fromInit(folder: string): Promise<UserApp> {
    const app = new UserApp(folder);
    const cdk = join(ROOT, 'node_modules/aws-cdk/bin/cdk');
    await app.node([cdk, 'init', 'app', '--language', 'typescript', '--generate-only']);
    rmSync(join(folder, 'test'), { recursive: true });
    app.write({ 'package.json': '{ "private": true }' });
    return app;
  }

  /** Makes an empty app of ES modules. */
  static ofModules(folder: string): UserApp {
    const app = new UserApp(folder);
    app.write({ 'package.json': '{ "private": true, "type": "module" }' });
    return app;
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Installs packages, such as `constructs@10.5.0`. npm refuses versions that a peer dependency excludes. */
  async install(...packages: readonly string[]): Promise<void> {
    const options = ['--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...options, ...packages], { cwd: this.folder, env: { ...process.env, ...SILENT } });
  }

  /** Runs Node in the folder. @returns its output */
  async node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const options = { cwd: this.folder, env: childEnvironment({ ...SILENT, ...env }), maxBuffer: 2 ** 26 };
    return (await run(process.execPath, [...args], options)).stdout;
  }

  /** Compiles or checks files with the TypeScript of the folder. */
  async tsc(...args: readonly string[]): Promise<void> {
    await this.node(['node_modules/typescript/bin/tsc', ...args]);
  }

  /** Runs `cdk synth` for a script of the folder, without the metadata of the CDK's command line. */
  async synth(script: string, node = process.execPath): Promise<Assembly> {
    const outdir = join(this.folder, 'cdk.out');
    rmSync(outdir, { recursive: true, force: true });
    const metadata = ['--no-path-metadata', '--no-asset-metadata', '--no-version-reporting', '--no-notices'];
    await this.node(['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet', '--app', `${node} ${script}`, ...metadata]);
    return readAssembly(outdir);
  }
}

/** Reads what a synthesis wrote into a folder. */
export function readAssembly(outdir: string): Assembly {
  const read = (path: string) => readFileSync(join(outdir, path));
  const templates = globSync('*.template.json', { cwd: outdir });
  const assets = globSync('asset.*/*', { cwd: outdir });
  const hash = (path: string) => createHash('sha256').update(read(path)).digest('hex');
  return {
    templates: new Map(templates.sort().map((path) => [path, JSON.parse(read(path).toString())])),
    assets: new Map(assets.sort().map((path) => [path, hash(path)])),
  };
}
