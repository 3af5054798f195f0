import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type TypeScript from 'typescript';
import { requireOf } from './load-application';

/**
 * Returns the folder that holds the application's JavaScript. A TypeScript application is compiled anew from its
 * sources, into a build folder within `folder`. Everything else in `folder` is a link into the application, so that
 * compiled code finds files relative to its own place.
 */
export const compileApplication = (appDir: string, folder: string): string => {
  const tsconfig = path.join(appDir, 'tsconfig.json');
  if (!existsSync(tsconfig)) return appDir;
  const ts = typescriptOf(appDir);
  const { fileNames, options } = readConfiguration(ts, tsconfig);
  const outDir = path.relative(appDir, options.outDir ?? path.join(appDir, 'dist'));
  // In production there may be no sources left.
  if (!fileNames.some(isSource)) return path.join(appDir, outDir);
  const dist = path.join(folder, outDir);
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(appDir))
    if (name !== outDir.split(path.sep)[0]) symlinkSync(path.join(appDir, name), path.join(folder, name));
  // An import ignores NODE_PATH, so packages hoisted above the application are linked above the folder.
  const above = createRequire(path.join(appDir, '..', 'package.json'))
    .resolve.paths('strapi')
    ?.find(existsSync);
  if (above !== undefined) symlinkSync(above, path.join(folder, '..', 'node_modules'));
  const rootDir = options.rootDir ?? appDir;
  const { type } = JSON.parse(readFileSync(path.join(appDir, 'package.json'), 'utf8')) as { readonly type?: string };
  for (const file of fileNames.filter((name) => !name.endsWith('.d.ts'))) {
    const target = path.join(dist, path.relative(rootDir, file)).replace(/\.([cm]?)[jt]sx?$/, '.$1js');
    mkdirSync(path.dirname(target), { recursive: true });
    const isModule = target.endsWith('.mjs') || (type === 'module' && !target.endsWith('.cjs'));
    const module = isModule ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS;
    writeFileSync(target, file.endsWith('.json') ? readFileSync(file) : transpile(ts, file, { ...options, module }));
  }
  return dist;
};

const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !file.endsWith('.d.ts');

/** The TypeScript that Strapi depends on. */
const typescriptOf = (appDir: string): typeof TypeScript => {
  const application = createRequire(path.join(appDir, 'package.json'));
  const utilities = ['@strapi/strapi', '@strapi/core', '@strapi/typescript-utils'].reduce(requireOf, application);
  return utilities('typescript') as typeof TypeScript;
};

/** "No inputs were found": the sources are not part of a production image. */
const NO_INPUTS = 18003;

/** @throws Error that says what is wrong with the file. */
const readConfiguration = (ts: typeof TypeScript, file: string): TypeScript.ParsedCommandLine => {
  const failed = ({ messageText }: TypeScript.Diagnostic): never => {
    throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: failed };
  const parsed = ts.getParsedCommandLineOfConfigFile(file, undefined, host);
  if (parsed === undefined) throw new Error(`${file} cannot be read`);
  const wrong = parsed.errors.find(({ code }) => code !== NO_INPUTS);
  if (wrong !== undefined) failed(wrong);
  return parsed;
};

/** Does not check types: that is left to the build. */
const transpile = (ts: typeof TypeScript, file: string, options: TypeScript.CompilerOptions): string =>
  ts.transpileModule(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { ...options, sourceMap: false, inlineSourceMap: false },
  }).outputText;
