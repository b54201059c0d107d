import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, it } from 'vitest';
import { bundleFunction, ROOT } from '../../infra/bundle.ts';
import { packagesOf } from '../../infra/sbom/bundled-package.ts';
import { sbomText } from '../../infra/sbom/cyclonedx.ts';

it('the SBOM keeps the schema of CycloneDX', async () => {
  const functions = new Map(
    await Promise.all(
      ['tokens', 'pages'].map(async (name) => {
        const files = await bundleFunction(`functions/${name}.ts`, { service: 'hosted' });
        return [
          name,
          packagesOf(
            files.flatMap(({ sources }) => sources),
            ROOT,
          ),
        ] as const;
      }),
    ),
  );
  const text = sbomText({ service: 'hosted', version: '0.1.0', functions });
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(text)).toBeNull();
  expect(await validator.validate(text.replace('"type": "library"', '"type": "book"'))).not.toBeNull();
});
