import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Copies the compiled playground for a process of its own. Returns a function that extends a file of its configuration:
 * `value` is an expression in which `base` is the playground's own.
 */
export const compiledPlayground = (playground, dist) => {
  mkdirSync(dist, { recursive: true });
  for (const part of ['config', 'src'])
    cpSync(path.join(playground, '.tmp/tests/compiled', part), path.join(dist, part), { recursive: true });
  return (name, value) => {
    const own = path.join(dist, `playground-${name}.js`);
    const file = path.join(dist, 'config', `${name}.js`);
    cpSync(file, own);
    writeFileSync(
      file,
      `const own = require(${JSON.stringify(own)}).default;\nmodule.exports = (context) => { const base = typeof own === 'function' ? own(context) : own; return ${value}; };\n`,
    );
  };
};
