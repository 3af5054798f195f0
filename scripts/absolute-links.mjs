/**
 * Makes README.md's relative links absolute, for the registry's page. Changes the file: meant for the checkout that is
 * published from, which is thrown away.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const place = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const { repository, version } = JSON.parse(readFileSync(place('package.json'), 'utf8'));
const base = `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/v${version}/`;

const readme = readFileSync(place('README.md'), 'utf8');
writeFileSync(
  place('README.md'),
  readme.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link) => `](${new URL(link, base)})`),
);
