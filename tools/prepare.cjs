const { spawnSync } = require('node:child_process');

/**
 * `npm ci` and `npm pack` run this: it builds what the repository needs. A dry run writes nothing, and may come before
 * any package is installed.
 */

const BUILDS = ['build:client', 'build:viewer', 'build:console'];
/** The options of the outer npm, which the npm of a build would take for its own. */
const OPTIONS =
  /^npm_config_(?:dry_run|json|long|parseable|global|location|workspaces?|include_workspace_root|pack_destination|package_lock_only|omit|include)$/i;

if (process.env.npm_config_dry_run !== 'true') {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OPTIONS.test(name)));
  for (const build of BUILDS) {
    const { status } = spawnSync('npm', ['run', '--silent', build], {
      env,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}
