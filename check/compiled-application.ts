import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type TypeScript from 'typescript';
import { requireOf } from './load-application';

/**
 * Where the application's JavaScript is to be read: where it lies, or, of an application in TypeScript, compiled from what
 * is written now into `folder`, which stands for the application. There `dist` alone is real and all else a link, so that
 * code which looks for files from where it lies finds them.
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
  const rootDir = options.rootDir ?? appDir;
  for (const file of fileNames.filter((name) => !name.endsWith('.d.ts'))) {
    const target = path.join(dist, path.relative(rootDir, file)).replace(/\.[jt]sx?$/, '.js');
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, file.endsWith('.json') ? readFileSync(file) : transpile(ts, file, options));
  }
  return dist;
};

const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !file.endsWith('.d.ts');

/** Strapi's own. */
const typescriptOf = (appDir: string): typeof TypeScript => {
  const application = createRequire(path.join(appDir, 'package.json'));
  const utilities = ['@strapi/strapi', '@strapi/core', '@strapi/typescript-utils'].reduce(requireOf, application);
  return utilities('typescript') as typeof TypeScript;
};

/** @throws Error that names what is wrong with it. */
const readConfiguration = (ts: typeof TypeScript, file: string): TypeScript.ParsedCommandLine => {
  const failed = ({ messageText }: TypeScript.Diagnostic): never => {
    throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: failed };
  const parsed = ts.getParsedCommandLineOfConfigFile(file, undefined, host);
  if (parsed === undefined) throw new Error(`${file} cannot be read`);
  if (parsed.errors[0] !== undefined) failed(parsed.errors[0]);
  return parsed;
};

/** Without a look at types: that is the build's. */
const transpile = (ts: typeof TypeScript, file: string, options: TypeScript.CompilerOptions): string =>
  ts.transpileModule(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { ...options, module: ts.ModuleKind.CommonJS, sourceMap: false, inlineSourceMap: false },
  }).outputText;
