/**
 * Does what `strapi-plugin build` leaves undone: it writes the declarations of the package's entries, one file each,
 * with what can be imported and nothing internal. TypeScript finds them by their names: `.d.ts` beside `.js` and
 * `.d.mts` beside `.mjs`.
 */

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entries that people import: the folder of `dist`, and the source file. */
const ENTRIES = { config: 'server/src/config/define-config', 'provider-suite': 'provider-suite/index' };

/** Strapi loads these by itself. An application imports nothing from them. */
const OF_STRAPI = ['server/index.d.ts', 'admin/index.d.ts', 'admin/index.d.mts'];

const emit = (outDir) => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(root, 'provider-suite/tsconfig.build.json'), ts.sys.readFile).config,
    ts.sys,
    path.join(root, 'provider-suite'),
  );
  const files = Object.values(ENTRIES).map((entry) => path.join(root, `${entry}.ts`));
  const program = ts.createProgram(files, { ...options, outDir });
  const { diagnostics } = program.emit();
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
};

const configOf = (entry, target) =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'ESNext',
            moduleResolution: 'Bundler',
            target: 'ES2023',
            skipLibCheck: true,
            types: ['node'],
          },
        },
      },
      apiReport: { enabled: false },
      docModel: { enabled: false },
      tsdocMetadata: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: target },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(root, 'package.json'),
  });

/** Puts the declarations of each entry together in one file. The entries share a program: reading types takes longest. */
const rollUp = (entries) => {
  const configs = entries.map(({ entry, target }) => configOf(entry, target));
  const compilerState = CompilerState.create(configs[0], { additionalEntryPoints: entries.map(({ entry }) => entry) });
  for (const config of configs) {
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      compilerState,
      messageCallback: (message) => {
        // Silences warnings: about missing release tags, and that the bundled compiler is older than the project's.
        message.handled = message.logLevel !== 'error';
      },
    });
    if (!succeeded) throw new Error(`${config.mainEntryPointFilePath}: the declarations could not be put together`);
  }
};

// The build insists on writing this file. Strapi uses `require` for the server, so only one format is shipped, and
// `import` resolves to it as well.
rmSync(path.join(root, 'dist/server/index.mjs'), { force: true });

const emitted = mkdtempSync(path.join(root, 'dist/declarations-'));
try {
  emit(emitted);
  const entries = Object.entries(ENTRIES).map(([folder, entry]) => ({
    entry: path.join(emitted, `${entry}.d.ts`),
    target: path.join(root, 'dist', folder, 'index.d.ts'),
  }));
  rollUp(entries);
  for (const { target } of entries) copyFileSync(target, target.replace(/\.ts$/, '.mts'));
} finally {
  rmSync(emitted, { recursive: true });
}
for (const file of OF_STRAPI) {
  writeFileSync(path.join(root, 'dist', file), 'declare const plugin: object;\nexport default plugin;\n');
}
